import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { issueTestCertificates } from '#importer/certificates.fixture.ts'
import type { LayoutImage } from '#oci/image/image-layout.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskContext } from '../../task.ts'
import { buildContainerDisk } from './container-disk.ts'
import { createPusher, type Pusher } from './push.ts'

const credentials = { username: 'me', password: 'secret' }
const pushTimeoutMs = 60_000

suite('createPusher()', () => {
  const trusted = getCACertificates('default')
  let folder = ''
  let image: LayoutImage
  let server: Server
  let lines: string[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  before(async () => {
    const { authority, server: own } = await issueTestCertificates()
    setDefaultCACertificates([...trusted, authority])
    server = createServer({ cert: own.certificate, key: own.key }, (request, response) => {
      request.resume()
      answer(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    folder = await mkdtemp(join(tmpdir(), 'push-'))
    const disk = join(folder, 'disk')
    await writeFile(disk, 'content')
    image = await buildContainerDisk({ folder: join(folder, 'image'), disk, name: 'root', labels: {}, architecture: 'amd64', now: 0 })
  })
  after(async () => {
    setDefaultCACertificates(trusted)
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })

  /** With a clock that does not wait. `limitMs`: how long the limit of the push is in fact. */
  function pusher(limitMs = pushTimeoutMs): Pusher {
    lines = []
    const clock = {
      ...systemClock,
      after: (ms: number, callback: () => void) => systemClock.after(ms === pushTimeoutMs ? limitMs : ms, callback),
      sleep: () => Promise.resolve(),
    }
    const context = { clock, log: (line: string) => lines.push(line), signal: AbortSignal.timeout(20_000) }
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const destination = { host, repository: 'team/disk', version: 'v1', isDigest: false }
    const upload = { source: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'root' }, volume: 'root', destination, pushTimeoutMs }
    return createPusher(context as unknown as TaskContext, upload, credentials)
  }
  const failure =
    (exitCode: number, message: RegExp) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof TaskFailed)
      assert.equal(error.exitCode, exitCode)
      assert.match(error.message, message)
      return true
    }
  /** Takes everything. */
  function take(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'POST') response.writeHead(202, { location: '/v2/team/disk/blobs/uploads/1' }).end()
    else if (request.method === 'PUT') request.once('end', () => response.writeHead(201).end())
    else response.writeHead(404).end()
  }

  test('pushes again what a registry refuses for a while', async () => {
    let failures = 3
    answer = (request, response) => (failures-- > 0 ? void response.writeHead(503).end() : take(request, response))
    await pusher().push(join(folder, 'image'), image)
    assert.equal(lines.filter((line) => line.startsWith('Push again')).length, 3)
  })

  test('gives a registry up that goes on refusing', async () => {
    answer = (_request, response) => void response.writeHead(500).end()
    await assert.rejects(pusher().push(join(folder, 'image'), image), failure(exitCodes.failed, /registry answers 500/))
    assert.equal(lines.filter((line) => line.startsWith('Push again')).length, 4)
  })

  test('ends at PUSH_TIMEOUT', async () => {
    answer = (request, response) => (request.method === 'PUT' ? undefined : take(request, response))
    await assert.rejects(
      pusher(500).push(join(folder, 'image'), image),
      failure(exitCodes.waitFailed, /1 minutes: give more by PUSH_TIMEOUT/),
    )
  })

  test('checks the login before there is something to push', async () => {
    answer = (_request, response) => void response.writeHead(404).end()
    await pusher().check()
    answer = (_request, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
    await assert.rejects(pusher().check(), failure(exitCodes.preconditionFailed, /SECRET_NAME/))
    answer = (_request, response) => void response.writeHead(403).end()
    await assert.rejects(pusher().check(), failure(exitCodes.preconditionFailed, /may not push/))
  })
})
