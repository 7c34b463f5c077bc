import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { issueTestCertificates } from '#importer/certificates.fixture.ts'
import { startTestRegistry, type TestImage, type TestRegistry } from '#importer/registry/registry.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { eventually } from '../kubelet.fixture.ts'
import type { ImageUser, PullPolicy } from '../options.ts'
import { createImagePuller, type ImagePuller } from './image-puller.ts'
import { ImageNeverPulled } from './image-never-pulled.ts'

const image = (content: string, others: Partial<TestImage> = {}): TestImage => ({
  layers: [
    [
      { name: 'disk', type: 'directory', mode: 0o700 },
      { name: 'disk/disk.img', content, mode: 0o440 },
    ],
  ],
  ...others,
})
const login = { username: 'me', password: 'secret', scheme: 'bearer' } as const
const loginAt = (host: string, password = 'secret') => ({ address: host, user: 'me', password })

const program = new URL('killed-pull.fixture.ts', import.meta.url).pathname

/** A folder of pulled images, and settings by which a test registry is reached. */
class Place implements AsyncDisposable {
  readonly root: string
  readonly events: string[] = []
  readonly #stop = new AbortController()
  private constructor(root: string) {
    this.root = root
  }
  static async create(...hosts: string[]): Promise<Place> {
    const place = new Place(await mkdtemp(join(tmpdir(), 'pulls-')))
    await writeFile(place.registries, JSON.stringify({ registries: hosts.map((host) => ({ host, insecure: true })) }))
    return place
  }
  get registries(): string {
    return join(this.root, 'registries.yaml')
  }
  get images(): string {
    return join(this.root, 'images')
  }
  puller(node = 'n1'): ImagePuller {
    const { images: folder, registries } = this
    return createImagePuller({ folder, node, registries, path: process.env['PATH'] ?? '', clock: systemClock, signal: this.#stop.signal })
  }
  user(policy: PullPolicy, logins: Awaited<ReturnType<ImageUser['logins']>> = [], signal = new AbortController().signal): ImageUser {
    return { policy, logins: async () => logins, onEvent: (_type, reason) => void this.events.push(reason), signal }
  }
  /** Names in a folder of the cache. */
  async names(...path: string[]): Promise<readonly string[]> {
    return readdir(join(this.images, ...path)).catch(() => [])
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await rm(this.root, { recursive: true, force: true })
  }
}

const diskIn = (root: string): Promise<string> => readFile(join(root, 'disk/disk.img'), 'utf8')
const layersAsked = ({ requests }: TestRegistry): number =>
  requests.filter((each) => each.startsWith('GET') && each.includes('/blobs/')).length

suite('pulls of images', () => {
  test('an image is pulled once, and asked for only under Always', async () => {
    await using registry = await startTestRegistry()
    await using place = await Place.create(registry.host)
    const reference = `${registry.host}/team/disks:v1`
    const digest = await registry.add('team/disks:v1', image('one'))
    const puller = place.puller()
    const first = await puller.pull(reference, place.user('IfNotPresent'))
    assert.deepEqual([await diskIn(first.rootDirectory), first.id], ['one', `${registry.host}/team/disks@${digest}`])
    assert.equal((await stat(join(first.rootDirectory, 'disk/disk.img'))).mode & 0o777, 0o644)
    assert.equal((await stat(join(first.rootDirectory, 'disk'))).mode & 0o777, 0o755)

    const asked = registry.requests.length
    for (const policy of ['IfNotPresent', 'Never'] as const) await place.puller().pull(reference, place.user(policy))
    assert.equal(registry.requests.length, asked)
    await puller.pull(reference, place.user('Always'))
    assert.deepEqual(registry.requests.slice(asked), ['GET /v2/', 'HEAD /v2/team/disks/manifests/v1'])
    assert.deepEqual(place.events, ['Pulling', 'Pulled', 'Pulled', 'Pulled', 'Pulling', 'Pulled'])

    // A guest may still read from the image that the name meant before.
    await registry.add('team/disks:v1', image('two'))
    assert.equal(await diskIn((await puller.pull(reference, place.user('IfNotPresent'))).rootDirectory), 'one')
    const second = await puller.pull(reference, place.user('Always'))
    assert.deepEqual([await diskIn(second.rootDirectory), await diskIn(first.rootDirectory)], ['two', 'one'])
  })

  test('files that were removed are pulled again', async () => {
    await using registry = await startTestRegistry()
    await using place = await Place.create(registry.host)
    await registry.add('disks:v1', image('one'))
    const reference = `${registry.host}/disks:v1`
    const { rootDirectory } = await place.puller().pull(reference, place.user('IfNotPresent'))
    await rm(rootDirectory, { recursive: true })
    await assert.rejects(place.puller().pull(reference, place.user('Never')), ImageNeverPulled)
    assert.equal(await diskIn((await place.puller().pull(reference, place.user('IfNotPresent'))).rootDirectory), 'one')
  })

  test('pods that want one image at once share its pull, also those of other nodes and names', async () => {
    await using registry = await startTestRegistry()
    await using place = await Place.create(registry.host)
    for (const name of ['disks:v1', 'disks:v2']) await registry.add(name, image('one'))
    const [one, other] = [place.puller(), place.puller('n2')]
    const all = await Promise.all(
      [...Array(5).keys()].map((index) => one.pull(`${registry.host}/disks:v${1 + (index % 2)}`, place.user('Always'))),
    )
    assert.equal(new Set(all.map(({ rootDirectory }) => rootDirectory)).size, 1)
    // The configuration of each name, and the layer.
    assert.equal(layersAsked(registry), 3)
    await Promise.all([one, other].map((each) => each.pull(`${registry.host}/disks`, place.user('Always')).catch(() => {})))
    await registry.add('disks:v3', image('three'))
    const both = await Promise.all([one, other].map((each) => each.pull(`${registry.host}/disks:v3`, place.user('Always'))))
    assert.equal(both[0]?.rootDirectory, both[1]?.rootDirectory)
    assert.deepEqual([await place.names('partial', 'n1'), await place.names('partial', 'n2')], [[], []])
  })

  test('logins are tried in turn, and another pod needs its own under Always', async () => {
    await using registry = await startTestRegistry({ login })
    await using place = await Place.create(registry.host)
    await registry.add('disks:v1', image('one'))
    const reference = `${registry.host}/disks:v1`
    const puller = place.puller()
    await assert.rejects(puller.pull(reference, place.user('IfNotPresent')), /check the Secret with the credentials/)
    const logins = [loginAt(`${registry.host}/disks`, 'wrong'), loginAt('elsewhere.io'), loginAt(registry.host)]
    await puller.pull(reference, place.user('IfNotPresent', logins))
    await assert.rejects(puller.pull(reference, place.user('Always')), /check the Secret with the credentials/)
  })

  const refused: Readonly<Record<string, readonly [TestImage, RegExp]>> = {
    'a layer that is not that of its digest': [image('one', { isDamaged: true }), /sha256|digest/],
    'a path that leads out': [{ layers: [[{ name: '../../escaped', content: 'x' }]] }, /escaped/],
    'a link that leads out': [{ layers: [[{ name: 'disk', type: 'symlink', linkname: '../../etc' }]] }, /leads out/],
    'a device': [{ layers: [[{ name: 'disk', type: 'block-device' }]] }, /disk/],
  }
  for (const [name, [bad, message]] of Object.entries(refused))
    test(`${name} is refused, and nothing is left of the image`, async () => {
      await using registry = await startTestRegistry()
      await using place = await Place.create(registry.host)
      await registry.add('disks:v1', bad)
      await assert.rejects(place.puller().pull(`${registry.host}/disks:v1`, place.user('Always')), message)
      for (const folder of [['content'], ['names'], ['partial', 'n1']]) assert.deepEqual(await place.names(...folder), [], folder.join('/'))
      assert.equal(existsSync(join(place.root, 'escaped')), false)
    })

  test('a wrong tag, and a registry that is down, are named', async () => {
    await using registry = await startTestRegistry()
    await using place = await Place.create(registry.host)
    await assert.rejects(place.puller().pull(`${registry.host}/disks:v9`, place.user('Always')), /answers 404 \(.*MANIFEST_UNKNOWN.*v9/)
    await assert.rejects(place.puller().pull('localhost:1/disks:v9', place.user('Always')), /"localhost:1" \(.*ECONNREFUSED/)
  })

  test('an authority that is not trusted is named, with the file to name it in, which is read at the next pull', async () => {
    const { authority, server: own } = await issueTestCertificates()
    const server = createTlsServer({ cert: own.certificate, key: own.key }, (_request, response) => void response.writeHead(404).end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      await using place = await Place.create()
      const puller = place.puller()
      const failure = (): Promise<string> => puller.pull(`${host}/disks:v1`, place.user('Always')).then(() => '', String)
      const first = await failure()
      assert.ok(first.includes('is not trusted') && first.endsWith(`: name its authority in "${place.registries}"`), first)
      await writeFile(join(place.root, 'ca.pem'), authority)
      await writeFile(place.registries, JSON.stringify({ registries: [{ host, authority: 'ca.pem' }] }))
      assert.match(await failure(), /answers 404/)
    } finally {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })

  suite('that are interrupted', () => {
    /** Passes requests on to a registry, and stops within each layer while it is told so. */
    async function startSlowRegistry(registry: TestRegistry) {
      const state = { isStopped: true, stopped: 0, ended: 0 }
      const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const answer = await fetch(`http://${registry.host}${request.url}`, { method: request.method ?? 'GET' })
        const bytes = Buffer.from(await answer.arrayBuffer())
        const type = { 'content-type': answer.headers.get('content-type') ?? '' }
        response.writeHead(answer.status, { ...type, 'content-length': bytes.length })
        if (!state.isStopped || bytes.length < 100_000) return void response.end(bytes)
        response.write(bytes.subarray(0, 90_000))
        response.once('close', () => state.ended++)
        state.stopped++
      }
      const server = createServer((request, response) => void serve(request, response))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return {
        host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        state,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections()
          server.close()
          await once(server, 'close')
        },
      }
    }
    const large = image('', {
      layers: [
        [
          { name: 'disk', type: 'directory' },
          { name: 'disk/disk.img', content: randomBytes(200_000) },
        ],
      ],
    })

    test('end when the last pod that wants the image is deleted', async () => {
      await using registry = await startTestRegistry()
      await using slow = await startSlowRegistry(registry)
      await using place = await Place.create(slow.host)
      await registry.add('disks:v1', large)
      const puller = place.puller()
      const pods = [new AbortController(), new AbortController()]
      const pulls = pods.map(({ signal }) => puller.pull(`${slow.host}/disks:v1`, place.user('Always', [], signal)))
      await eventually(() => slow.state.stopped === 1)
      pods[0]?.abort()
      await assert.rejects(pulls[0] ?? Promise.resolve())
      assert.equal(slow.state.ended, 0)
      pods[1]?.abort()
      await assert.rejects(pulls[1] ?? Promise.resolve())
      await eventually(() => slow.state.ended === 1)
      slow.state.isStopped = false
      await puller.pull(`${slow.host}/disks:v1`, place.user('Always'))
      assert.deepEqual(await place.names('partial', 'n1'), [])
    })

    test('by kill -9 leave a temporary folder only, which the next start of the node removes', async () => {
      await using registry = await startTestRegistry()
      await using slow = await startSlowRegistry(registry)
      await using place = await Place.create(slow.host)
      await registry.add('disks:v1', large)
      await mkdir(join(place.images, 'partial/n2/of-another-node'), { recursive: true })
      const reference = `${slow.host}/disks:v1`
      const child = spawn(process.execPath, [program, place.images, place.registries, reference], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      await eventually(() => slow.state.stopped === 1, 60_000)
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert.equal((await place.names('partial', 'n1')).length, 1)
      assert.deepEqual([await place.names('content'), await place.names('names')], [[], []])
      slow.state.isStopped = false
      const { rootDirectory } = await place.puller().pull(reference, place.user('IfNotPresent'))
      assert.equal((await stat(join(rootDirectory, 'disk/disk.img'))).size, 200_000)
      assert.deepEqual([await place.names('partial', 'n1'), await place.names('partial', 'n2')], [[], ['of-another-node']])
    })
  })
})
