import assert from 'node:assert/strict'
import { request } from 'node:https'
import { suite, test } from 'node:test'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { connectTo } from './http2-client.fixture.ts'

const path = '/api/v1/namespaces/default/configmaps'
const megabyte = Buffer.alloc(1024 * 1024, 'x')

interface Sent {
  readonly status: number | undefined
  readonly reason: unknown
  readonly sentMegabytes: number
}

/** Sends the whole body over HTTP/1.1 before it reads the answer, as simple clients do. */
function post({ server, authority, admin }: TestServer, megabytes: number, declared: boolean): Promise<Sent> {
  const headers = { 'content-type': 'application/json', ...(declared ? { 'content-length': megabytes * megabyte.length } : {}) }
  return new Promise((resolve, reject) => {
    let sentMegabytes = 0
    const call = request(`${server.url}${path}`, { method: 'POST', agent: false, ca: authority.cert, ...admin, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { reason } = JSON.parse(Buffer.concat(chunks).toString()) as { reason?: unknown }
        call.destroy()
        resolve({ status: response.statusCode, reason, sentMegabytes })
      })
    })
    call.on('error', reject)
    const next = (): void => {
      if (sentMegabytes === megabytes) return void call.end()
      call.write(megabyte, (error) => {
        if (error !== undefined && error !== null) return
        sentMegabytes++
        next()
      })
    }
    next()
  })
}

suite('drain()', () => {
  for (const declared of [true, false]) {
    test(`lets an HTTP/1.1 client read the answer (${declared ? 'length declared' : 'in chunks'})`, async () => {
      await using server = await startTestServer()
      for (const megabytes of [4, 12]) {
        const { status, reason } = await post(server, megabytes, declared)
        assert.deepEqual([status, reason], [413, 'RequestEntityTooLarge'])
      }
    })
  }

  test('stops reading an endless body', async () => {
    await using server = await startTestServer()
    const outcome = await post(server, 10_000, false).catch((error: unknown) => error)
    // Either the answer arrived or the connection was reset; the request must only end.
    if (!(outcome instanceof Error)) assert.equal((outcome as Sent).status, 413)
  })

  test('leaves an HTTP/2 connection usable', async () => {
    await using server = await startTestServer()
    using client = connectTo(server)
    const body = Buffer.concat(Array.from({ length: 4 }, () => megabyte))
    const answers = await Promise.all(
      [1, 2].map(() => client.request('POST', path, { headers: { 'content-type': 'application/json' }, body })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [413, 413],
    )
    assert.equal((await client.request('GET', path)).status, 200)
  })
})
