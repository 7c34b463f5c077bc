import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCondition, isTrue, removeCondition, setCondition } from './conditions.ts'
import { deepFreeze } from './equality.ts'
import type { Condition } from './meta/object-meta.ts'

const early = '2026-01-01T00:00:00Z'
const late = '2026-02-02T00:00:00Z'
const ready: Condition = { type: 'Ready', status: 'True', reason: 'Up', lastTransitionTime: early }
const list: readonly Condition[] = deepFreeze([ready, { type: 'Paused', status: 'False', lastTransitionTime: early }])

suite('setCondition()', () => {
  test('setCondition() adds a new condition with the time', () => {
    const result = setCondition<Condition>(undefined, { type: 'Ready', status: 'True' }, late)
    assert.deepEqual(result, [{ type: 'Ready', status: 'True', lastTransitionTime: late }])
  })
  test('setCondition() keeps the time when only reason or message change', () => {
    const result = setCondition(list, { type: 'Ready', status: 'True', reason: 'Other' }, late)
    assert.deepEqual(result[0], { type: 'Ready', status: 'True', reason: 'Other', lastTransitionTime: early })
    assert.equal(result[1], list[1])
  })
  test('setCondition() sets the new time when the status changes, and keeps the position', () => {
    const result = setCondition(list, { type: 'Ready', status: 'False' }, late)
    assert.equal(findCondition(result, 'Ready')?.lastTransitionTime, late)
    assert.equal(result[0]?.type, 'Ready')
  })
  test('setCondition() returns the same list when nothing changes', () => {
    assert.equal(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up' }, late), list)
  })
  test('removeCondition() removes by type, or returns the same list', () => {
    assert.deepEqual(removeCondition(list, 'Ready'), [list[1]])
    assert.equal(removeCondition(list, 'Other'), list)
    assert.deepEqual(removeCondition(undefined, 'Other'), [])
  })
  test('isTrue() is false for a condition that is absent or not True', () => {
    assert.deepEqual([isTrue(list, 'Ready'), isTrue(list, 'Paused'), isTrue(null, 'Ready')], [true, false, false])
  })
})
