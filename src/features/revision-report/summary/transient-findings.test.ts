import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTransientFilter } from './transient-findings.ts'
import type { Finding } from '../types.ts'

function finding(state: Finding['state'], revision: string): Finding {
  return { state, namespace: 'a', revision, message: '', referrers: [], settledBy: 'user', command: '' }
}

const lost = finding('missing', 'x')

suite('createSettle()', () => {
  test('suppresses findings between updates of two caches, and requests another check', () => {
    const settle = createTransientFilter(100)
    assert.deepEqual(settle([lost], 1_000), { findings: [], recheckInMs: 100 })
    assert.deepEqual(settle([lost, finding('orphaned', 'y')], 1_060), { findings: [], recheckInMs: 40 })
    assert.deepEqual(settle([lost, finding('orphaned', 'y')], 1_100), { findings: [lost], recheckInMs: 60 })
    assert.deepEqual(settle([lost], 1_200), { findings: [lost], recheckInMs: undefined })
  })

  test('restarts the delay for a finding that disappeared in between', () => {
    const settle = createTransientFilter(100)
    settle([lost], 0)
    settle([], 50)
    assert.deepEqual(settle([lost], 100), { findings: [], recheckInMs: 100 })
  })

  test('reports findings of a single revision at once', () => {
    const own = [finding('outdated', 'x'), finding('undecodable', 'y')]
    assert.deepEqual(createTransientFilter(100)(own, 0), { findings: own, recheckInMs: undefined })
  })
})
