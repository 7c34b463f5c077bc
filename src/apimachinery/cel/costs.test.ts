import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { objectCostLimit } from './budget.ts'
import { costOf } from './compile.fixture.ts'

/** As cel-go counts with the options of the Kubernetes API server. */
const costs: readonly [string, number][] = [
  ['1', 0],
  ['1 + 2 == 3', 2],
  ['object.a.b', 3],
  ['has(object.a)', 1],
]

suite('the cost of an evaluation', () => {
  for (const [source, cost] of costs) test(`${source} is ${cost}`, () => assert.equal(costOf(source, { a: { b: [1, 2, 3] } }), cost))

  test('is far from the limit of an object for any simple rule', () => {
    assert.ok(costOf('object.l.all(x, x.startsWith("a"))', { l: Array.from({ length: 1000 }, () => 'abc') }) < objectCostLimit / 100)
  })
})
