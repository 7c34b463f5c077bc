// Takes longer than 45 s: it compares the state of the cluster between hundreds of requests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { after, before, suite, test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { bombs, fuzzedDefinition } from './bombs.ts'
import type { Answer, Connection, Sent } from './connection.ts'
import { hostileRequest, quietCollections, sampleRequests } from './hostile-requests.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { repeats, sample, seed } from '../support/effort.ts'

const requests = repeats({ default: 200, long: 10_000 })
const batch = 100
/** Deadline of kube-apiserver for writes: no request may take longer. */
const deadlineMs = 34_000
const configMaps = '/api/v1/namespaces/default/configmaps'

/**
 * Reports whether an answer is a server error. kube-apiserver answers an apply that does not match
 * its type with 500 and no reason, and so does this server.
 */
function isFault(status: number, body: string): boolean {
  return (
    status === 500 && !['failed to create typed patch object', 'does not contain declared merge key'].some((text) => body.includes(text))
  )
}

// The server is a program of its own: what it does to itself, it does not do to the test.
suite(`hostile input (seed ${seed})`, () => {
  let server: HostileServer
  let admin: Connection

  before(async () => {
    server = await startHostileServer()
    admin = server.connection
    const json = { 'content-type': 'application/json' }
    const made = await admin.request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: json,
      body: JSON.stringify(fuzzedDefinition),
    })
    assert.equal(made.status, 201, made.body)
    const target = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'target' } }
    assert.equal((await admin.request({ method: 'POST', path: configMaps, headers: json, body: JSON.stringify(target) })).status, 201)
  })
  after(() => server[Symbol.asyncDispose]())

  /** Returns names and versions of all objects. */
  const state = async (): Promise<string> => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    const lists = await Promise.all(quietCollections.map((path) => admin.request({ method: 'GET', path, headers: { accept } })))
    return lists
      .flatMap(({ body }) => (JSON.parse(body) as { items: { metadata: { uid: string; name: string; resourceVersion: string } }[] }).items)
      .map(({ metadata: { uid, name, resourceVersion } }) => `${uid} ${name} ${resourceVersion}`)
      .join('\n')
  }
  const isWell = async (): Promise<void> => {
    assert.ok(server.isAlive, 'the server has ended')
    assert.equal((await admin.request({ method: 'GET', path: '/readyz' })).status, 200)
  }
  /** Sends a request. Fails without an answer before the deadline. */
  const send = async (request: Sent): Promise<Answer> => {
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(new Error(`no answer to ${request.method} ${request.path.slice(0, 200)}`)), deadlineMs)
    try {
      return await Promise.race([admin.request(request), timeout.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  for (const bomb of sample(bombs(), 8)) {
    test(`withstands ${bomb.name}`, async () => {
      const before_ = await state()
      const headers: Record<string, string> = bomb.type === '' ? {} : { 'content-type': bomb.type }
      const { status, body } = await send({ ...bomb, headers })
      assert.ok(status >= 200 && status < 600 && !isFault(status, body), `answered ${status}: ${body.slice(0, 500)}`)
      if (status >= 300) assert.equal(await state(), before_, 'a request that failed changed something')
      await isWell()
    })
  }

  test(`withstands ${requests} requests of all kinds`, { timeout: 900_000 }, async (context) => {
    const random = createSeededRandom(seed)
    const counts = new Map<number, number>()
    const start = await server.memory()
    for (let done = 0; done < requests; done += batch) {
      if (done % 2_000 === 0) await Promise.all(sampleRequests().map(send))
      const before_ = await state()
      const sent = Array.from({ length: batch }, () => hostileRequest(random))
      const answers = await Promise.all(sent.map(async (request) => ({ request, ...(await send(request)) })))
      for (const { request, status, body } of answers) {
        counts.set(status, (counts.get(status) ?? 0) + 1)
        const asked = `${request.method} ${request.path} ${JSON.stringify(request.headers)} ${request.body.toString()}`
        assert.ok(!isFault(status, body), `${asked} is answered ${status}: ${body.slice(0, 500)}`)
      }
      if (!answers.some(({ request, status }) => request.changes && status < 300)) {
        assert.equal(await state(), before_, 'requests that all failed changed something')
      }
    }
    await isWell()
    const end = await server.memory()
    const grown = (end.heapUsed + end.external - start.heapUsed - start.external) / 2 ** 20
    context.diagnostic(
      `answers: ${[...counts]
        .toSorted(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    )
    context.diagnostic(`memory grew by ${grown.toFixed(1)} MiB`)
    // History of what was written is kept on purpose, up to its own limits.
    assert.ok(grown < 64, `memory grew by ${grown.toFixed(1)} MiB`)
  })

  test('withstands data that is not HTTP', async () => {
    const random = createSeededRandom(seed)
    const beginnings = [
      'GET / HTTP/1.1\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'POST /api HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n',
      '\u0016\u0003\u0001',
      '',
    ] as const
    for (let index = 0; index < repeats({ default: 100, long: 300 }); index += 1) {
      const socket = connectTls({
        port: server.port,
        host: '127.0.0.1',
        ...server.credentials,
        ALPNProtocols: [random.pick(['h2', 'http/1.1'])],
      })
      socket.on('error', () => {})
      await once(socket, 'secureConnect')
      socket.write(
        Buffer.concat([
          Buffer.from(random.pick(beginnings)),
          Buffer.from(Array.from({ length: random.below(500) }, () => random.below(256))),
        ]),
      )
      if (random.chance(0.5)) socket.destroy()
      else socket.end()
    }
    await isWell()
  })
})
