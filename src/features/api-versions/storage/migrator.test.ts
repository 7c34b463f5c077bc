import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '#client/client.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createStorageMigrator } from './migrator.ts'
import { startWidgets } from './widgets.fixture.ts'

test('createStorageMigrator() migrates settled CRDs, retries after failures, and checks again periodically', async () => {
  await using of = await startWidgets(3)
  const clock = createVirtualClock()
  let isAway = true
  const client: Client = {
    ...of.client,
    list: (resource, options) => (isAway ? Promise.reject(new Error('away')) : of.client.list(resource, options)),
  }
  const stop = new AbortController()
  const running = createStorageMigrator({ client, clock, log: silentLogger, settleMs: 10, everyMs: 1_000 }).run(stop.signal)
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    // Requests are not on this clock.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await pass(10)
  isAway = false
  await pass(10)
  assert.deepEqual(of.stored(), { v1: 3, v2: 1 }, 'every API server gets time to learn of it')
  await pass(10)
  assert.deepEqual(of.stored(), { v2: 4 })
  await of.storeAs('v1')
  await pass(500)
  assert.deepEqual(of.stored(), { v2: 4 })
  await pass(500)
  await pass(10)
  assert.deepEqual(of.stored(), { v1: 4 })
  assert.deepEqual((await of.definition()).status?.storedVersions, ['v1'])
  stop.abort()
  await running
})
