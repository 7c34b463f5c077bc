import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Client } from '#client/client.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { imaginedHost as host } from './host.fixture.ts'

/** Runs a heartbeat until `count` writes were sent, stops it, and returns what it wrote. */
async function beatsUntil(count: number, answer: (index: number) => Promise<unknown>): Promise<readonly unknown[]> {
  const stop = new AbortController()
  const written: unknown[] = []
  const patch = async (_resource: unknown, _key: unknown, { body }: { body: unknown }): Promise<unknown> => {
    written.push((body as { metadata: { labels: Record<string, string> } }).metadata.labels['kubevirt.io/schedulable'])
    if (written.length === count) stop.abort()
    return answer(written.length)
  }
  const client = { patch } as unknown as Pick<Client, 'patch'>
  await createHeartbeat({ client, nodeName: 'n1', host, guests: async () => 0, clock: systemClock, log }).run(stop.signal)
  return written
}

suite('the heartbeat of a node agent', () => {
  test('makes its node schedulable for guests until the agent stops', async () => {
    assert.deepEqual(await beatsUntil(1, async () => ({})), ['true', 'false'])
  })

  test('ends even if the last write fails', async () => {
    const answer = async (index: number): Promise<unknown> => (index === 1 ? {} : Promise.reject(new Error('connect ECONNREFUSED')))
    assert.deepEqual(await beatsUntil(1, answer), ['true', 'false'])
  })
})
