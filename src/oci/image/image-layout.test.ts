import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { writeArchive } from './image-archive.ts'
import { blobPath, createLayout, LayoutUnusable, readLayout, type LayoutWriter, type StoredLayer } from './image-layout.ts'
import type { LayerEntry } from './layer-entry.ts'
import { packTar } from './tar-archive.ts'
import { writeImage, writeReferrer, type WrittenImage } from './write-image.ts'

const mtime = new Date('2026-01-02T03:04:05Z')
const longPath = `usr/share/${'a-long-name/'.repeat(12)}${'x'.repeat(120)}`

suite('an image layout', () => {
  let folder = ''
  let layout: LayoutWriter
  let layer: StoredLayer
  let image: WrittenImage
  const layerOf = async (entries: readonly LayerEntry[]): Promise<StoredLayer> => layout.addLayer(await packTar(entries, mtime))
  const entries = (): LayerEntry[] => [
    { kind: 'copy', path: 'usr/bin/large', mode: 0o755, from: join(folder, 'large') },
    { kind: 'file', path: longPath, mode: 0o644, content: Buffer.from('é') },
    { kind: 'link', path: 'bin', target: 'usr/bin' },
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    { kind: 'file', path: 'empty', mode: 0o644, content: Buffer.alloc(0) },
  ]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layout-'))
    await writeFile(join(folder, 'large'), Buffer.alloc(3_000_001, 'steadyvm'), { mode: 0o700 })
    layout = await createLayout({ folder: join(folder, 'layout'), compression: 1 })
    layer = await layerOf(entries())
    image = await writeImage(layout, {
      reference: 'example.com/team/tool:v1',
      created: '2026-01-02T03:04:05Z',
      architecture: 'amd64',
      user: '107:107',
      environment: ['PATH=/bin'],
      entrypoint: ['/bin/sh'],
      labels: {},
      layers: [{ layer, description: 'a test' }],
    })
    const { artifact } = await writeReferrer(layout, image, {
      type: 'text/plain',
      title: 'note.txt',
      created: '2026-01-02T03:04:05Z',
      content: 'x',
    })
    await layout.finish([image.descriptor, artifact])
  })
  after(() => rm(folder, { recursive: true }))

  test('has the same digests for the same entries in another order', async () => {
    assert.deepEqual(await layerOf(entries().toReversed()), layer)
  })

  test('names each blob by its digest, and layers by that of their content', () => {
    const bytes = readFileSync(blobPath(layout.folder, layer.descriptor.digest))
    const sum = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`
    assert.equal(sum(bytes), layer.descriptor.digest)
    assert.equal(sum(gunzipSync(bytes)), layer.diffId)
    assert.equal(bytes.length, layer.descriptor.size)
    // A time or a name in the header of gzip would change with the machine.
    assert.deepEqual([...bytes.subarray(3, 8)], [0, 0, 0, 0, 0])
  })

  test('has layers that tar unpacks: long names, links, modes, owner and time', async () => {
    const target = join(folder, 'unpacked')
    await mkdir(target)
    const blob = blobPath(layout.folder, layer.descriptor.digest)
    execFileSync('tar', ['-xzpf', blob, '-C', target])
    assert.equal(await readlink(join(target, 'bin')), 'usr/bin')
    assert.equal((await stat(join(target, 'tmp'))).mode & 0o7777, 0o1777)
    assert.ok(readFileSync(join(target, 'bin/large')).equals(readFileSync(join(folder, 'large'))))
    assert.equal(readFileSync(join(target, longPath), 'utf8'), 'é')
    assert.equal(statSync(join(target, 'empty')).mtimeMs, mtime.getTime())
    assert.match(
      execFileSync('tar', ['-tvzf', blob, '--numeric-owner'], { encoding: 'utf8' }),
      /^-rwxr-xr-x 0\/0 +3000001 .* usr\/bin\/large$/m,
    )
  })

  test('is read with the artifacts that refer to an image', async () => {
    const [found, ...more] = await readLayout(layout.folder)
    assert.deepEqual(more, [])
    assert.equal(found?.reference, 'example.com/team/tool:v1')
    assert.deepEqual(
      found?.referrers.map(({ manifest }) => [manifest.artifactType, manifest.subject?.digest]),
      [['text/plain', image.descriptor.digest]],
    )
  })

  test('becomes an archive with the blobs of images only', async () => {
    const file = join(folder, 'images.tar')
    await writeArchive(layout.folder, [image], { file, mtime })
    const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n')
    const blobs = [image.descriptor, image.manifest.config, layer.descriptor].map(({ digest }) => `blobs/${digest.replace(':', '/')}`)
    assert.deepEqual(
      names.filter((name) => !name.endsWith('/')).toSorted(),
      ['index.json', 'manifest.json', 'oci-layout', ...blobs].toSorted(),
    )
    const docker = execFileSync('tar', ['-xOf', file, 'manifest.json'], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(docker), [{ Config: blobs[1], RepoTags: ['example.com/team/tool:v1'], Layers: [blobs[2]] }])
  })

  test('is refused when a manifest is damaged or leads out of it', async () => {
    await assert.rejects(readLayout(folder), LayoutUnusable)
    const other = join(folder, 'other')
    await mkdir(other)
    for (const digest of ['sha256:../../../etc/passwd', `sha256:${'0'.repeat(64)}`]) {
      await writeFile(join(other, 'index.json'), JSON.stringify({ manifests: [{ digest }] }))
      await assert.rejects(readLayout(other), LayoutUnusable)
    }
  })
})
