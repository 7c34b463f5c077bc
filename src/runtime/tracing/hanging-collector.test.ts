import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

async function listen(t: TestContext, answer: (response: ServerResponse) => void): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => request.resume().once('end', () => answer(response))).listen(0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a collector that accepts spans and never answers holds up neither requests nor the end of a process', async (t) => {
  let requests = 0
  const api = await listen(t, (response) => {
    requests++
    response.setHeader('content-type', 'application/json').end('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}')
  })
  const waiting = Promise.withResolvers<void>()
  const collector = await listen(t, () => waiting.resolve())
  const program = fileURLToPath(new URL('traced-process.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [program, api.url, '700'], {
    env: { PATH: process.env['PATH'], OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [answered] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  assert.deepEqual([answered, requests], ['answered\n', 700])
  // The collector has spans, and keeps its answer for ever.
  await waiting.promise
  child.kill('SIGTERM')
  const from = performance.now()
  assert.deepEqual(await exited, [0, null])
  t.diagnostic(`the process ended after ${(performance.now() - from).toFixed(0)} ms`)
  assert.equal(await text(child.stdout), '')
})
