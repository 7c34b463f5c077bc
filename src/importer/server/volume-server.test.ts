import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as requestPlain } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createProgress } from '../progress.ts'
import type { ImportResult, PeerAddress } from '../task/task.ts'
import { convertTo, createTestVolume, rawDisk, sha256, type TestVolume } from '../worker.fixture.ts'
import { createPeerDesk } from './peer-desk.ts'
import { createVolumeServer } from './volume-server.ts'
import { startWorkerServer, type WorkerServer } from './worker-server.ts'

interface Identity {
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

async function identify(name: string): Promise<Identity> {
  const terms = { nowMs: systemClock.now(), lifetimeMs: 3_600_000 }
  const authority = await createAuthority({ commonName: `worker ${name}`, ...terms })
  const own = await authority.issue({ subject: `CN=${name}`, usage: 'both', names: [{ type: 'dns', value: name }], ...terms })
  return { authority: authority.own.certificate, ...own }
}

suite('a disk that a worker serves to another one', () => {
  let root = ''
  let target: Identity
  let source: Identity
  let controller: Identity
  let other: Identity
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'peers-'))
    target = await identify('target')
    source = await identify('source')
    controller = await identify('controller')
    other = await identify('other')
  })
  after(() => rm(root, { recursive: true }))

  async function folderOf({ certificate, key }: Identity, clients: string): Promise<string> {
    const folder = await mkdtemp(join(root, 'serving-'))
    await writeFile(join(folder, 'tls.crt'), certificate)
    await writeFile(join(folder, 'tls.key'), key)
    await writeFile(join(folder, 'ca.crt'), clients)
    return folder
  }

  async function serveDisk(path: string, clients: string): Promise<WorkerServer> {
    const volume = createVolumeServer(path, { path: process.env['PATH'] ?? '', signal: AbortSignal.timeout(60_000) })
    const serving = await folderOf(source, clients)
    const otherwise = volume.serve.bind(volume)
    return startWorkerServer({ serving, host: '127.0.0.1', port: 0, progress: createProgress(), otherwise })
  }

  /** Runs a worker that copies, and tells it the address until it ends. Returns the last answer. */
  async function copy(
    volume: TestVolume,
    port: number,
    teller: Identity = controller,
  ): Promise<{ readonly result: ImportResult | Error; readonly status: number }> {
    const serving = await folderOf(target, controller.authority + other.authority)
    const peers = createPeerDesk('controller')
    const progress = createProgress()
    const stop = new AbortController()
    await using server = await startWorkerServer({ serving, host: '127.0.0.1', port: 0, progress, otherwise: peers.serve.bind(peers) })
    const address: PeerAddress = { host: '127.0.0.1', port, name: 'source', authority: source.authority }
    const run = volume
      .run({ kind: 'peer', controller: 'controller' }, {}, { peers, serving, progress, signal: stop.signal })
      .catch((error: unknown) => error as Error)
    while (progress.read().stage !== 'WaitingForSource') await systemClock.sleep(5)
    const status = await new Promise<number>((resolve, reject) => {
      const tls = { ca: target.authority, cert: teller.certificate, key: teller.key, servername: 'target' }
      const sent = request({ host: '127.0.0.1', port: server.port, path: '/source', method: 'POST', ...tls, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      sent.once('error', reject)
      sent.end(JSON.stringify(address))
    })
    if (status !== 204) stop.abort()
    return { result: await run, status }
  }

  test('is copied byte for byte, also if a guest has made it look like an image', async () => {
    const disk = rawDisk(8)
    ;(await convertTo(rawDisk(4), 'qcow2')).copy(disk)
    const path = join(root, 'disk.img')
    await writeFile(path, disk)
    await using server = await serveDisk(path, target.authority)
    await using volume = await createTestVolume()
    const { result } = await copy(volume, server.port)
    assert.equal((result as ImportResult).reason, 'Completed')
    assert.equal(await volume.digest(disk.length), sha256(disk))
  })

  test('is sent to the worker that it is for, and to no other', async () => {
    const path = join(root, 'secret.img')
    await writeFile(path, rawDisk(4))
    await using server = await serveDisk(path, other.authority)
    await using volume = await createTestVolume()
    const { result } = await copy(volume, server.port)
    assert.ok(result instanceof Error, JSON.stringify(result))
  })

  test('is taken from where the controller says, and no other client', async () => {
    const path = join(root, 'false.img')
    await writeFile(path, rawDisk(4))
    await using server = await serveDisk(path, target.authority)
    await using volume = await createTestVolume()
    assert.equal((await copy(volume, server.port, other)).status, 403)
  })

  test('is never sent to its end when it is written to meanwhile', async () => {
    const path = join(root, 'written.img')
    await writeFile(path, rawDisk(4))
    // More than connections hold.
    await truncate(path, 24 << 20)
    const volume = createVolumeServer(path, { path: process.env['PATH'] ?? '', signal: AbortSignal.timeout(60_000) })
    const server = createServer((asked, answer) => volume.serve(asked, answer)).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const read = async (meanwhile: () => Promise<void>): Promise<IncomingMessage> => {
        const sent = requestPlain({ host: '127.0.0.1', port, path: '/disk', agent: false }).end()
        const [answer] = (await once(sent, 'response')) as [IncomingMessage]
        await meanwhile()
        await answer
          .resume()
          .toArray()
          .catch(() => {})
        return answer
      }
      const whole = await read(() => Promise.resolve())
      assert.ok(whole.complete)
      const cut = await read(() => writeFile(path, 'written', { flag: 'r+' }))
      assert.equal(cut.complete, false)
      assert.notEqual((await read(() => Promise.resolve())).headers.etag, whole.headers.etag)
    } finally {
      server.close()
    }
  })

  test('is no file that a link leads to', async () => {
    const path = join(root, 'link.img')
    await writeFile(join(root, 'elsewhere'), rawDisk(4))
    await symlink(join(root, 'elsewhere'), path)
    await using server = await serveDisk(path, target.authority)
    await using volume = await createTestVolume()
    const { result } = await copy(volume, server.port)
    assert.ok(result instanceof Error, JSON.stringify(result))
  })
})
