import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { objectCostLimit } from './budget.ts'
import { costOf } from './compile.fixture.ts'

const object = {
  a: { b: [1, 2, 3], s: 'hello' },
  m: { x: 1, y: 2 },
  disks: [
    { k: 'a', v: 1 },
    { k: 'b', v: 2 },
  ],
  s: 'hello world',
}

/** As cel-go 0.26 counts with the options of kube-apiserver 1.34. */
const costs: readonly [string, number][] = [
  ['1 + 2 == 3', 2],
  ['object.a.b', 3],
  ['object.a.b[0]', 4],
  ['object.a.b[object.a.b[0]]', 7],
  ['has(object.a.s)', 2],
  ['{"a": 1}.a', 2],
  ['1 in [1, 2, 3]', 0],
  ['2 in object.a.b', 4],
  ['true ? object.s : "x"', 1],
  ['string(1.5)', 0],
  ['object.a.b.map(x, x * 2)', 46],
  ['object.a.b.filter(x, x > 2)', 23],
  ['object.a.b.all(x, x > 1)', 11],
  ['object.m.transformMap(k, v, v + 1)', 13],
  ['object.disks.exists_one(i, i.k == "a")', 12],
  ['object.?zz.?q', 1],
  ['object.?a.?s.orValue("x")', 3],
  ['optional.of(1).optMap(x, x + 1).value()', 8],
  ['lists.range(10).map(x, x * x).sum()', 182],
  ['object.s.matches("^h.*d$")', 6],
  ['object.s.split(" ")[0]', 7],
  ['format.uri().validate("https://x").hasValue()', 278],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 3],
]

suite('the cost of an evaluation', () => {
  for (const [source, cost] of costs) test(`${source} is ${cost}`, () => assert.equal(costOf(source, object), cost))

  test('is far from the limit of an object for any simple rule', () => {
    assert.ok(costOf('object.l.all(x, x.startsWith("a"))', { l: Array.from({ length: 1000 }, () => 'abc') }) < objectCostLimit / 100)
  })
})
