import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { suite, test } from 'node:test'
import { conflict } from '#apimachinery/errors.ts'
import type { Change } from './object-store.ts'
import { runAfterChanges } from './run-after-changes.ts'

/** A store whose only function is to report changes. */
function changes(): {
  subscribe: (key: string, after: number | undefined, listener: (change: Change) => void) => Disposable
  change(): void
} {
  const listeners = new Set<() => void>()
  return {
    subscribe(_key, _after, listener) {
      const call = (): void => listener({} as Change)
      listeners.add(call)
      return { [Symbol.dispose]: () => void listeners.delete(call) }
    },
    change: () => listeners.forEach((listener) => listener()),
  }
}

suite('runAfterChanges()', () => {
  test('runs at start and once for the changes of a turn, never two passes at a time', async () => {
    const store = changes()
    const running: string[] = []
    const pass = async (): Promise<void> => {
      running.push('begin')
      await turn()
      running.push('end')
    }
    using work = runAfterChanges({ store, keys: ['a', 'b'], pass, onError: assert.ifError })
    await work.settled()
    assert.deepEqual(running, ['begin', 'end'])

    store.change()
    store.change()
    await turn()
    store.change()
    await work.settled()
    assert.deepEqual(running, ['begin', 'end', 'begin', 'end', 'begin', 'end'])
  })

  test('reports errors other than lost races, and goes on', async () => {
    const store = changes()
    const outcomes = [conflict({ group: '', plural: 'pods' }, 'a'), new Error('broken')]
    const errors: unknown[] = []
    const pass = async (): Promise<void> => {
      const error = outcomes.shift()
      if (error !== undefined) throw error
    }
    using work = runAfterChanges({ store, keys: ['a'], pass, onError: (error) => void errors.push(error) })
    await work.settled()
    assert.deepEqual(errors, [])
    store.change()
    await work.settled()
    assert.deepEqual(errors.map(String), ['Error: broken'])
  })

  test('ends with its disposal: aborts the pass, whose error is of no interest, and starts no more', async () => {
    const store = changes()
    const signals: AbortSignal[] = []
    const work = runAfterChanges({
      store,
      keys: ['a'],
      pass: async (signal) => {
        signals.push(signal)
        await turn()
        signal.throwIfAborted()
      },
      onError: assert.ifError,
    })
    await turn()
    store.change()
    work[Symbol.dispose]()
    store.change()
    await work.settled()
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    )
  })
})
