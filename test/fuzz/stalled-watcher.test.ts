import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { eventually } from '../support/machine.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'

const changes = 6_000
const collection = '/api/v1/namespaces/default/configmaps'

// A client that watches and never reads must not affect other clients.
suite('a stalled watcher', () => {
  let server: HostileServer
  before(async () => {
    server = await startHostileServer()
  })
  after(() => server[Symbol.asyncDispose]())

  test('is disconnected, and neither slows other clients nor fills the memory', { timeout: 300_000 }, async (context) => {
    const { connection, credentials, port } = server
    const json = { 'content-type': 'application/json' }
    for (let index = 0; index < 10; index += 1) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `busy-${index}` } })
      assert.equal((await connection.request({ method: 'POST', path: collection, headers: json, body })).status, 201)
    }
    const start = await server.memory()
    const session = connect(`https://127.0.0.1:${port}`, credentials)
    const watch = (path: string) => session.request({ ':path': path })
    // Its own connection, or its window would be that of the others.
    const stalledSession = connect(`https://127.0.0.1:${port}`, credentials)
    const stalled = stalledSession.request({ ':path': `${collection}?watch=1` })
    stalled.on('error', () => {})
    await once(stalled, 'response')
    let isLetGo = false
    stalled.on('close', () => (isLetGo = true))

    const reader = watch(`${collection}?watch=1`)
    let cut: unknown
    reader.on('error', (error) => (cut = error))
    let lines = 0
    reader.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) lines += 1
    })
    await once(reader, 'response')
    const padding = 'x'.repeat(4_000)
    let next = 0
    await Promise.all(
      Array.from({ length: 4 }, async (_, client) => {
        while (next < changes) {
          const body = JSON.stringify({ data: { count: String(next++), padding } })
          const patched = await connection.request({
            method: 'PATCH',
            path: `${collection}/busy-${client}`,
            headers: { 'content-type': 'application/merge-patch+json' },
            body,
          })
          assert.equal(patched.status, 200)
        }
      }),
    )
    // Ten objects were there already when the reader came.
    await eventually(
      () => lines >= changes + 10,
      () => `${cut === undefined ? '' : 'it was cut off: '}the other watcher has seen ${lines} of ${changes + 10} events`,
    )
    assert.equal(cut, undefined, 'the watcher that reads was cut off')
    const grown = ((await server.memory()).rss - start.rss) / 2 ** 20
    context.diagnostic(`${changes} changes of 4 KB, memory grew by ${grown.toFixed(0)} MiB`)
    assert.ok(grown < 250, `memory grew by ${grown.toFixed(0)} MiB`)
    // Reading what is left shows that it has been cut off.
    stalled.resume()
    await eventually(
      () => isLetGo,
      () => 'the stalled watch is still open',
    )
    session.destroy()
    stalledSession.destroy()
  })
})
