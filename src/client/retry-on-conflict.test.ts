import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { conflict, notFound } from '#apimachinery/errors.ts'
import { retryOnConflict } from './retry-on-conflict.ts'

const widgets = { group: 'example.com', plural: 'widgets' }

suite('retryOnConflict', () => {
  for (const [name, failures, expected, attempts] of [
    ['returns the first result', [], 'written', 1],
    ['repeats the operation after conflicts', [conflict(widgets, 'w'), conflict(widgets, 'w')], 'written', 3],
    ['throws another error at once', [notFound(widgets, 'w')], 'NotFound', 1],
    ['gives up after five conflicts', Array.from({ length: 5 }, () => conflict(widgets, 'w')), 'Conflict', 5],
  ] as const)
    test(name, async () => {
      let calls = 0
      const operation = async (): Promise<string> => {
        const failure = failures[calls++]
        if (failure !== undefined) throw failure
        return 'written'
      }
      const result = await retryOnConflict(operation).catch((error: { readonly reason?: string }) => error.reason)
      assert.deepEqual([result, calls], [expected, attempts])
    })
})
