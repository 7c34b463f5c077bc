import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { withSignal } from './with-signal.ts'

const key = { namespace: 'default', name: 'a' }
const object = { metadata: key }

const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  get: (client) => client.get(configMaps, key),
  list: (client) => client.list(configMaps),
  create: (client) => client.create(configMaps, object),
  update: (client) => client.update(configMaps, object),
  patch: (client) => client.patch(configMaps, key, { type: 'merge', body: {} }),
  delete: (client) => client.delete(configMaps, key),
}

/** A client whose requests last until their signal aborts. */
function hangingClient(started: string[]): Client {
  const hang =
    (verb: string) =>
    (...parameters: unknown[]) => {
      started.push(verb)
      const { signal } = parameters.at(-1) as { signal: AbortSignal }
      return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    }
  const verbs = Object.fromEntries([...Object.keys(calls), 'watch'].map((verb) => [verb, hang(verb)]))
  return verbs as unknown as Client
}

for (const [verb, call] of Object.entries(calls)) {
  test(`withSignal() ends a running ${verb} and sends none afterwards`, async () => {
    const started: string[] = []
    const stop = new AbortController()
    const client = withSignal(hangingClient(started), stop.signal)
    const pending = call(client)
    const reason = new TypeError('lost')
    stop.abort(reason)
    await assert.rejects(pending, reason)
    await assert.rejects(call(client), reason)
    assert.deepEqual(started, [verb])
  })
}

test("withSignal() keeps a call's own signal", async () => {
  const own = new AbortController()
  const client = withSignal(hangingClient([]), new AbortController().signal)
  const pending = client.get(configMaps, key, { signal: own.signal })
  own.abort(new TypeError('own'))
  await assert.rejects(pending, { message: 'own' })
})
