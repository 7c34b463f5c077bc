import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchChanges } from './changes.ts'
import type { QmpConnection, QmpEvent } from './connection.ts'

test('watchChanges() loses no event between two waits, and has a time limit', async () => {
  const listeners: ((event: QmpEvent) => void)[] = []
  const tell = (): void => listeners.forEach((listen) => listen({ event: 'STOP', data: {}, timestampMs: 0 }))
  const qmp: Pick<QmpConnection, 'onEvent' | 'closed'> = {
    onEvent: (listener) => {
      listeners.push(listener)
      return { [Symbol.dispose]: () => void listeners.pop() }
    },
    closed: new Promise(() => {}),
  }
  const changes = watchChanges(qmp as QmpConnection)
  tell()
  await changes.next(60_000)
  const waiting = changes.next(60_000)
  tell()
  await waiting
  await changes.next(1)
  changes[Symbol.dispose]()
  assert.deepEqual(listeners, [])
})
