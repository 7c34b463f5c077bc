import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createBudget } from './budget.ts'
import { compileExpression } from './compile.ts'
import { evaluate } from './compile.fixture.ts'
import { createEnvironment } from './environment.ts'
import { CelBudgetError, CelCompileError, CelError } from './errors.ts'
import { fromJson } from './values/json-values.ts'
import { schemaType } from './types/schema-types.ts'
import { dyn, int, listOf, objectOf, string } from './types/types.ts'

const values: readonly [string, unknown][] = [
  ['1 + 2 * 3', 7n],
  ['7 / 2 * 2 + 7 % 2', 7n],
  ['-7 % 3', -1n],
  ['1.5 * 2.0', 3],
  ['2u + 3u', '5u'],
  ['"a" + "b"', 'ab'],
  ['[1] + [2]', [1n, 2n]],
  ['b"ab" + b"c"', [97, 98, 99]],
  ['1 < 2.5 && 3u > 2', true],
  ['dyn(1) == dyn(1.0)', true],
  ['"b" > "a"', true],
  ['true ? 1 : 2', 1n],
  ['1 in [1, 2]', true],
  ['"a" in {"a": 1}', true],
  ['{"a": 1}.a', 1n],
  ['{"a": 1}["a"]', 1n],
  ['[1, 2][1]', 2n],
  ['has({"a": 1}.a) && !has({"a": 1}.b)', true],
  ['type(1) == int', true],
  ['type("") == string && type([]) == list && type(null) == null_type', true],
  ['-9223372036854775808', -(2n ** 63n)],
  ['size("añ😀")', 3n],
  ['[[1], [2, 3]].map(l, l.size())', [1n, 2n]],
  ['object.missing == 1 || true', true],
  ['object.missing == 1 && false', false],
  ['[1, 2, 3].all(x, x > 0)', true],
  ['[1, 2, 3].exists(x, x > 2)', true],
  ['[1, 2, 2].exists_one(x, x == 2)', false],
  ['[1, 2, 3].filter(x, x > 1).map(x, x * 2)', [4n, 6n]],
  ['[1, 2, 3].map(x, x > 1, x * 2)', [4n, 6n]],
  ['[1, 2].all(i, v, v == i + 1)', true],
  ['{"a": 1}.exists(k, v, k == "a" && v == 1)', true],
  ['[5].existsOne(i, v, v == 5)', true],
  ['["a"].transformList(i, v, string(i) + v)', ['0a']],
  ['{"a": 1}.transformMap(k, v, v + 1)', { a: 2n }],
  ['["a"].transformMapEntry(i, v, {v: i})', { a: 0n }],
  ['cel.bind(x, 2, x * x)', 4n],
  ['{"a": 1}.?b.orValue(2)', 2n],
  ['{"a": 1}.?a', ['some', 1n]],
  ['[1][?3].hasValue()', false],
  ['optional.of(2).optMap(x, x + 1)', ['some', 3n]],
  ['optional.none().optFlatMap(x, optional.of(x))', 'none'],
  ['optional.ofNonZeroValue("")', 'none'],
  ['optional.none().or(optional.of(1)).value()', 1n],
  ['[?optional.none(), 1, ?optional.of(2)]', [1n, 2n]],
  ['{?"a": optional.none(), "b": 1}', { b: 1n }],
  ['[1][?0].orValue(2) == 1 ? "?" : "[?"', '?'],
]

suite('expressions', () => {
  for (const [source, expected] of values) test(source, () => assert.deepEqual(evaluate(source), expected))

  const failures: readonly [string, RegExp][] = [
    ['9223372036854775807 + 1', /integer overflow/],
    ['0u - 1u', /unsigned integer overflow/],
    ['1 / 0', /division by zero/],
    ['1 % 0', /modulus by zero/],
    ['[1][1]', /index out of bounds: 1/],
    ['{"a": 1}.b', /no such key: b/],
    ['object.missing', /no such key: missing/],
    ['dyn("a") + dyn(1) == ""', /no such overload/],
    ['optional.none().value()', /optional.none\(\) dereference/],
    ['[1].all(x, object.missing)', /no such key/],
  ]
  for (const [source, message] of failures) {
    test(`${source} fails`, () => {
      assert.throws(
        () => evaluate(source),
        (error) => error instanceof CelError && message.test(error.message),
      )
    })
  }

  const faults: readonly [string, number, RegExp][] = [
    ['1 + "a"', 3, /found no matching overload for '_\+_' applied to '\(int, string\)'/],
    ['nobody', 1, /undeclared reference to 'nobody' \(in container ''\)/],
    ['self.nobody', 5, /undefined field 'nobody'/],
    ['self.list.foo()', 14, /undeclared reference to 'foo'/],
    ['self.list.all(x, x == "a")', 20, /'_==_' applied to '\(int, string\)'/],
    ['[1, "a"]', 5, /expected type 'int' but found 'string'/],
    ['1 +', 4, /Syntax error/],
    ['has(self)', 5, /invalid argument to has\(\) macro/],
    ['self.name.all(x, true)', 5, /cannot be range of a comprehension/],
  ]
  const self = objectOf('object', { name: string, list: listOf(int) })
  for (const [source, column, message] of faults) {
    test(`${source} is refused with its position`, () => {
      assert.throws(
        () => compileExpression(source, createEnvironment({ self })),
        (error) => error instanceof CelCompileError && error.issues[0]?.column === column && message.test(error.message),
      )
    })
  }

  test('prints an error as cel-go does', () => {
    assert.throws(() => compileExpression('self.x', createEnvironment({ self })), {
      message: "ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^",
    })
  })
})

suite('limits', () => {
  const bombs: readonly string[] = [
    'object.l.all(a, object.l.all(b, object.l.all(c, object.l.all(d, a + b + c + d >= 0))))',
    'object.l.map(a, object.l.map(b, object.l.map(c, object.l.map(d, [a, b, c, d])))).size() > 0',
    '[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29].map(x, object.s.replace("", object.s)).size() > 0',
    `${'cel.bind(s, object.s + object.s, '.repeat(1)}${Array.from({ length: 30 }, (_, i) => `cel.bind(s${i}, ${i === 0 ? 's + s' : `s${i - 1} + s${i - 1}`}, `).join('')}s29${')'.repeat(31)} == ""`,
    'object.l.exists(x, object.s.matches("(a{500}b?){2}c$"))',
    'lists.range(1000000000).size() > 0',
    'object.l.all(x, object.deep == object.other)',
    'object.l.all(x, object.s.contains(object.s + "b"))',
  ]
  const l = Array.from({ length: 200 }, (_, index) => index)
  const deep = { a: Array.from({ length: 100_000 }, (_, index) => ({ index })) }
  const object = { l, s: 'a'.repeat(10_000), deep, other: structuredClone(deep) }
  for (const [index, source] of bombs.entries()) {
    test(`expensive expression ${index} is aborted when its budget is exceeded`, () => {
      assert.throws(() => evaluate(source, object), CelBudgetError)
    })
  }

  test('the budget of all expressions of an object aborts them too', () => {
    const all = createBudget(10)
    const program = compileExpression('object.a.b.c', createEnvironment({ object: dyn }))
    const run = (): unknown => program.evaluate({ object: fromJson({ a: { b: { c: 1 } } }) }, createBudget(100, all))
    run()
    run()
    assert.throws(run, CelBudgetError)
    assert.equal(all.spent, 11)
  })

  test('a cost error is not absorbed by logical operators', () => {
    assert.throws(() => evaluate('object.l.all(x, object.l.all(y, object.l.all(z, true))) || true', object), CelBudgetError)
  })
})

test('values have the types of their schema', () => {
  const type = schemaType(
    {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            'dashed-name': { type: 'string' },
            namespace: { type: 'string' },
            any: { 'x-kubernetes-int-or-string': true },
            when: { type: 'string', format: 'date-time' },
            long: { type: 'string', format: 'duration' },
            raw: { type: 'string', format: 'byte' },
            ratio: { type: 'number' },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
            hidden: { 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    },
    true,
  )
  assert.ok(type !== undefined)
  const environment = createEnvironment({ self: type })
  const self = fromJson(
    {
      kind: 'A',
      metadata: { name: 'n', labels: {} },
      spec: {
        'dashed-name': 'd',
        namespace: 'x',
        any: '5%',
        when: '2026-01-01T00:00:00Z',
        long: '1h',
        raw: 'YQ==',
        ratio: 2,
        labels: { a: 'b' },
      },
    },
    type,
  )
  const source = `self.spec.dashed__dash__name == 'd' && self.spec.__namespace__ == 'x' && self.kind == 'A' && self.metadata.name == 'n'
    && type(self.spec.any) == string && self.spec.when > timestamp('2025-01-01T00:00:00Z') && self.spec.long == duration('60m')
    && self.spec.raw == b'a' && self.spec.ratio == 2.0 && self.spec.labels.all(k, self.spec.labels[k] == 'b')`
  assert.equal(compileExpression(source, environment).evaluate({ self }, createBudget()), true)
  for (const hidden of ['self.spec.hidden', 'self.metadata.labels']) {
    assert.throws(() => compileExpression(hidden, environment), /undefined field/)
  }
})
