import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { compileExpression } from '../compile.ts'
import { createEnvironment } from '../environment.ts'
import { schemaType } from '../types/schema-types.ts'
import { estimateCost, withoutBound } from './estimate.ts'

const name: StructuralSchema = { type: 'string', maxLength: 63 }
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    name,
    free: { type: 'string' },
    number: { type: 'integer' },
    list: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
    numbers: { type: 'array', items: { type: 'integer' } },
    disks: { type: 'array', maxItems: 8, items: { type: 'object', properties: { name, size: { type: 'integer' } } } },
    labels: { type: 'object', maxProperties: 10, additionalProperties: name },
    any: { 'x-kubernetes-int-or-string': true },
  },
}

/** As kube-apiserver 1.34 estimates. */
const estimates: readonly [string, number][] = [
  ['self.number > 1', 3],
  ["self.name == 'a'", 3],
  ['self.free == self.name', 30],
  ["self.free.matches('^[a-z]+$')", 629148],
  ['self.name in self.list', 14],
  ['self.list.all(x, x.size() < 5)', 63],
  ['self.numbers.all(x, x > 0)', 7864318],
  ['self.numbers.all(x, self.numbers.all(y, x == y))', 12369499521026],
  ['self.disks.all(d, self.disks.exists_one(e, e.name == d.name))', 2107],
  ['self.disks.map(d, d.name).all(x, self.list.exists(y, y == x))', 654],
  ["self.labels.all(k, self.labels[k] == 'a')", 83],
  ["self.labels.exists(k, v, v == 'a')", 63],
  ["has(self.name) && self.name.startsWith('abc')", 4],
  ["self.name.replace('', 'bb') == 'a'", 54],
  ["self.name.split('.').all(x, x.size() < 10)", 1566],
  ["self.list.join(',') == 'a'", 84],
  ['self.list.isSorted()', 92],
  ["self.name.find('[a-z]+') == 'a'", 55],
  ["type(self.any) == int ? self.any > 1 : self.any == 'a'", 7],
  ["quantity(self.free) == quantity('1')", 314577],
  ['isIP(self.free)', 314575],
  ['cidr(self.name).containsCIDR(self.name)', 63],
  ['format.dns1123Label().validate(self.name).hasValue()', 836],
  ['self.?number.orValue(1) == 2', 4],
  ['self.list.distinct().size() == 1', 215],
  ["sets.equivalent(self.list, ['a'])", 33],
  ["self.disks.sortBy(d, d.size)[0].name == 'a'", 279],
  ["self.labels.transformMap(k, v, v + 'a') == {'a': 'b'}", 364],
  ['self.name == oldSelf.name', 30],
]

suite('the estimate of a cost', () => {
  const self = schemaType(schema, true)
  assert.ok(self !== undefined)
  const environment = createEnvironment({ self, oldSelf: self })
  for (const [source, cost] of estimates) {
    test(`of ${source} is ${cost}`, () => assert.equal(estimateCost(compileExpression(source, environment).checked, self), cost))
  }

  test('is unbounded for unbounded sizes', () => {
    const { checked } = compileExpression("self.?free.orValue('a').matches('c')", environment)
    assert.ok(estimateCost(checked, self) > withoutBound / 100)
  })
})
