import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Retention } from './retention.ts'

const limits = { changes: 10, ageMs: 1_000, bytes: 500 }

function retention(records: number, bytes: number, at: (index: number) => number = () => 0): Retention {
  const kept = new Retention(limits)
  for (let index = 1; index <= records; index++) {
    kept.push({ revision: index, prior: index - 1, kid: 1, deleted: undefined, at: at(index), bytes })
  }
  return kept
}

suite('Retention', () => {
  for (const [name, kept, now, due] of [
    ['keeps few, small and old changes', retention(10, 50), 1_000_000, 0],
    ['keeps young changes beyond the number', retention(20, 1), 999, 0],
    ['drops old changes beyond the number', retention(20, 1), 1_000, 10],
    ['bounds bytes although there are few changes', retention(10, 100), 0, 5],
    ['bounds bytes although the changes are young', retention(20, 100, () => 5_000), 5_000, 15],
    ['drops a single state that is larger than the limit', retention(1, 501), 0, 1],
    ['does as much at a time as it is asked to', retention(20, 100), 0, 3],
  ] as const) {
    test(name, () => assert.equal(kept.due(now, name.startsWith('does') ? 3 : 100).length, due))
  }

  test('is due at once while it is above its bytes', () => {
    assert.equal(retention(10, 100, () => 7_000).nextDue(), 7_000)
    assert.equal(retention(10, 50).nextDue(), undefined)
    assert.equal(retention(11, 1, () => 7_000).nextDue(), 8_000)
  })
})
