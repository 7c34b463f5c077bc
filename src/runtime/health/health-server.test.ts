import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { createMetrics } from '../metrics/metrics.ts'
import { startHealthServer } from './health-server.ts'
import type { HealthCheck, HealthServerOptions } from './health-server.ts'

function ask(target: { port?: number; socketPath?: string }, path: string, headers = {}): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...target, path, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function start(readyz: Record<string, HealthCheck>, more: Partial<HealthServerOptions> = {}) {
  const server = await startHealthServer({ address: { host: '127.0.0.1', port: 0 }, checks: { healthz: {}, readyz }, ...more })
  return {
    server,
    ask: (path: string) => ask({ port: server.port ?? 0 }, path),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('startHealthServer() serves health and readiness separately, with the reason of a failure', async () => {
  let problem: string | undefined = 'no lease'
  await using run = await start({
    leader: () => problem,
    caches: async () => undefined,
    broken: () => {
      if (problem !== undefined) throw new Error('exploded')
      return undefined
    },
  })
  assert.deepEqual(await run.ask('/healthz'), { code: 200, text: 'ok' })
  assert.deepEqual(await run.ask('/livez'), { code: 200, text: 'ok' })
  const bad = await run.ask('/readyz')
  assert.equal(bad.code, 500)
  assert.deepEqual(bad.text.split('\n').slice(0, 3), ['[-]leader failed: no lease', '[+]caches ok', '[-]broken failed: exploded'])
  problem = undefined
  assert.deepEqual(await run.ask('/readyz'), { code: 200, text: 'ok' })
  assert.match((await run.ask('/readyz?verbose')).text, /\[\+\]leader ok/)
  assert.equal((await run.ask('/other')).code, 404)
  assert.equal((await run.ask('//')).code, 400)
  assert.equal((await run.ask('/healthz')).code, 200)
  assert.equal((await run.ask('/metrics')).code, 404)
})

test('startHealthServer() does not hang when a check does', async () => {
  await using run = await start({ stuck: () => new Promise(() => {}) }, { checkTimeoutMs: 20 })
  assert.equal((await run.ask('/readyz')).code, 500)
})

test('startHealthServer() serves metrics on a port to authorized clients only, and health to all', async () => {
  const metrics = createMetrics()
  metrics.counter({ name: 'a_total', help: 'A' })().add()
  await using closed = await start({}, { metrics })
  assert.equal((await closed.ask('/metrics')).code, 403)
  const metricsAccess: HealthServerOptions['metricsAccess'] = async (authorization) =>
    authorization === 'Bearer t' ? undefined : { code: 401, text: 'Unauthorized' }
  await using run = await start({}, { metrics, metricsAccess })
  assert.deepEqual(await run.ask('/metrics'), { code: 401, text: 'Unauthorized' })
  assert.equal((await run.ask('/healthz')).code, 200)
  const scraped = await ask({ port: run.server.port ?? 0 }, '/metrics', { authorization: 'Bearer t' })
  assert.match(scraped.text, /a_total 1/)
})

test('startHealthServer() serves metrics on a unix socket without a token', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'health-'))
  const unix = join(directory, 's')
  const metrics = createMetrics()
  metrics.counter({ name: 'a_total', help: 'A' })().add()
  await using _run = await start({}, { address: { unix }, metrics })
  assert.match((await ask({ socketPath: unix }, '/metrics')).text, /a_total 1/)
  rmSync(directory, { recursive: true })
})
