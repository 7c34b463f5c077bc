import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { blobPath, createLayout, LayoutUnusable, type LayoutWriter, type StoredLayer } from '../image/image-layout.ts'
import { MEDIA, type Descriptor, type ImageIndex } from '../image/media-types.ts'
import { packTar } from '../image/tar-archive.ts'
import { writeImage, writeReferrer, type WrittenImage } from '../image/write-image.ts'
import type { FoundCredentials } from './credentials.ts'
import { pushImages, type PushedImage } from './push-images.ts'
import { registryAddress } from './registry-address.ts'
import { createRegistryClient } from './registry-client.ts'
import { RegistryError } from './registry-error.ts'
import { startTestRegistry, type TestRegistry } from './registry.fixture.ts'

const created = '2026-01-02T03:04:05Z'

suite('push', () => {
  let folder = ''
  let layout: LayoutWriter
  let base: StoredLayer
  let images: readonly WrittenImage[]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'push-'))
    layout = await createLayout({ folder: join(folder, 'layout'), compression: 1 })
    const layerOf = async (text: string): Promise<StoredLayer> =>
      layout.addLayer(await packTar([{ kind: 'file', path: 'file', mode: 0o644, content: Buffer.from(text) }], new Date(created)))
    base = await layerOf('base')
    const descriptors: Descriptor[] = []
    const written: WrittenImage[] = []
    for (const name of ['one', 'two']) {
      const layers = [base, await layerOf(name)].map((layer) => ({ layer, description: '' }))
      const image = await writeImage(layout, {
        reference: `steadyvm.io/${name}:v1`,
        created,
        architecture: 'amd64',
        user: '1',
        environment: [],
        entrypoint: [],
        labels: {},
        layers,
      })
      const { artifact } = await writeReferrer(layout, image, { type: MEDIA.spdx, title: `${name}.json`, created, content: name })
      written.push(image)
      descriptors.push(image.descriptor, artifact)
    }
    images = written
    await layout.finish(descriptors)
  })
  after(() => rm(folder, { recursive: true }))

  const push = (registry: TestRegistry, found: FoundCredentials = {}): Promise<readonly PushedImage[]> => {
    const address = registryAddress(`${registry.name}/team`, true)
    return pushImages({
      folder: layout.folder,
      address,
      client: createRegistryClient({ address, found, signal: AbortSignal.timeout(10_000) }),
    })
  }
  const isComplete = (registry: TestRegistry): void => {
    for (const [index, name] of ['one', 'two'].entries()) {
      const { digest } = images[index]?.descriptor ?? { digest: '' }
      assert.deepEqual(registry.manifests.get(`team/${name}`)?.get('v1'), registry.manifests.get(`team/${name}`)?.get(digest))
      assert.ok(registry.blobs.get(`team/${name}`)?.has(base.descriptor.digest))
    }
  }

  test('tells how much of each blob is sent', async () => {
    await using registry = await startTestRegistry()
    const address = registryAddress(`${registry.name}/told`, true)
    const sent = new Map<number, number>()
    const onSent = (now: number, total: number): unknown => sent.set(total, now)
    await pushImages({
      folder: layout.folder,
      address,
      client: createRegistryClient({ address, found: {}, signal: AbortSignal.timeout(10_000), onSent }),
    })
    assert.ok(sent.has(base.descriptor.size))
    for (const [total, last] of sent) assert.equal(last, total)
  })

  test('sends each blob once, takes shared ones from the other repository, and sends nothing again', async () => {
    await using registry = await startTestRegistry({ canMount: true, hasReferrersApi: true })
    const first = await push(registry)
    isComplete(registry)
    assert.deepEqual(
      first.map(({ reference, blobs }) => [reference, blobs]),
      [
        // Base layer, own layer, configuration, SBOM and the empty configuration of its artifact.
        [`${registry.name}/team/one:v1`, { sent: 5, mounted: 0, present: 0 }],
        [`${registry.name}/team/two:v1`, { sent: 3, mounted: 2, present: 0 }],
      ],
    )
    const before = registry.requests.length
    for (const { blobs } of await push(registry)) assert.deepEqual(blobs, { sent: 0, mounted: 0, present: 5 })
    assert.deepEqual(
      registry.requests.slice(before).filter((line) => line.includes('uploads') || line.includes('manifests/v1 201')),
      [],
    )
    assert.equal(registry.manifests.get('team/one')?.size, 3, 'with a referrers API there is no tag for referrers')
  })

  test('lists referrers under the tag of the digest in registries without a referrers API', async () => {
    await using registry = await startTestRegistry()
    await push(registry)
    await push(registry)
    const { digest } = images[0]?.descriptor ?? { digest: '' }
    const stored = registry.manifests.get('team/one')?.get(digest.replace(':', '-'))
    assert.equal(stored?.type, MEDIA.index)
    const index = JSON.parse(stored?.content.toString() ?? '') as ImageIndex
    assert.deepEqual(
      index.manifests.map(({ artifactType, digest: referrer }) => [artifactType, registry.manifests.get('team/one')?.has(referrer)]),
      [[MEDIA.spdx, true]],
    )
  })

  for (const scheme of ['basic', 'bearer'] as const) {
    test(`logs in with ${scheme} authentication, also to take blobs from another repository`, async () => {
      const login = { username: 'user', password: 'pass:word' }
      await using registry = await startTestRegistry({ login: { ...login, scheme }, canMount: true, hasReferrersApi: true })
      const [, second] = await push(registry, { credentials: login })
      assert.equal(second?.blobs.mounted, 2)
      isComplete(registry)
    })

    test(`is denied with ${scheme} authentication and a wrong password or none`, async () => {
      await using registry = await startTestRegistry({ login: { username: 'user', password: 'right', scheme } })
      const failed = async (found: FoundCredentials): Promise<RegistryError> => {
        const error = await push(registry, found).catch((each: unknown) => each)
        assert.ok(error instanceof RegistryError, String(error))
        return error
      }
      assert.equal((await failed({ credentials: { username: 'user', password: 'wrong' } })).status, 401)
      const error = await failed({ hint: 'give it the key' })
      assert.equal(error.status, 401)
      assert.ok(error.message.includes('give it the key'), error.message)
      assert.deepEqual(
        [...registry.blobs.values()].flatMap((blobs) => [...blobs]),
        [],
      )
    })
  }

  test('continues after a connection that broke', async () => {
    await using registry = await startTestRegistry({ interruptedUploads: 1 })
    await assert.rejects(push(registry), (error: unknown) => error instanceof RegistryError && error.status === 0)
    await push(registry)
    isComplete(registry)
  })

  test('says what is wrong with a registry that is not there', async () => {
    const registry = await startTestRegistry()
    await registry[Symbol.asyncDispose]()
    const error = (await push(registry).catch((each: unknown) => each)) as RegistryError
    assert.ok(error instanceof RegistryError)
    assert.match(error.message, /ECONNREFUSED.*check the address/)
  })

  test('sends no damaged blob', async () => {
    await using registry = await startTestRegistry()
    const { digest } = images[1]?.manifest.layers[1] ?? { digest: '' }
    await writeFile(blobPath(layout.folder, digest), 'damaged')
    await assert.rejects(push(registry), LayoutUnusable)
    assert.equal(registry.manifests.get('team/two')?.size, undefined)
  })
})
