import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createBudget } from './budget.ts'
import { compileExpression } from './compile.ts'
import { evaluate, show } from './compile.fixture.ts'
import { createEnvironment } from './environment.ts'
import { CelBudgetError, CelCompileError, CelError } from './errors.ts'
import { fromJson } from './values/json-values.ts'
import { dyn } from './types/types.ts'

const environment = createEnvironment({ object: dyn })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

suite('random expressions', () => {
  test('are either refused or evaluated within their budget', () => {
    const word = fc.constantFrom(
      'object',
      'a',
      '1',
      '-1',
      '1u',
      '2.5',
      "'x'",
      "b'x'",
      'null',
      'true',
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      '.',
      '?',
      ':',
      ',',
      '+',
      '-',
      '*',
      '/',
      '%',
      '&&',
      '||',
      '!',
      '==',
      '<',
      'in',
      '.map(x, ',
      '.all(x, ',
      '.exists(i, v, ',
      '.size()',
      '[0]',
      '.?a',
      '[?0]',
      'optional.of(',
      '.orValue(',
      "timestamp('2020-01-01T00:00:00Z')",
      "duration('1h')",
      '.matches(',
      '.replace(',
      'lists.range(',
      '[?',
      '{?',
      '"""',
      '//',
      '\n',
      'é',
      '😀',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        try {
          const program = compileExpression(words.join(''), environment)
          program.evaluate({ object: fromJson({ a: [1, 'x', null, { b: 2 }] }) }, createBudget(100_000))
        } catch (error) {
          assert.ok(error instanceof CelCompileError || error instanceof CelError, String(error))
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('compute with 64-bit integers, and report an overflow', () => {
    fc.assert(
      fc.property(int64, int64, fc.constantFrom('+', '-', '*'), (a, b, operator) => {
        const exact = operator === '+' ? a + b : operator === '-' ? a - b : a * b
        const source = `int('${a}') ${operator} int('${b}')`
        if (BigInt.asIntN(64, exact) === exact) assert.equal(evaluate(source), exact)
        else assert.throws(() => evaluate(source), /integer overflow/)
      }),
    )
  })

  test('compare numbers of different types by value', () => {
    fc.assert(
      fc.property(int64, fc.double({ noNaN: true }), (a, b) => {
        const shown = Number.isFinite(b) ? `double('${b}')` : `double('${b > 0 ? 'inf' : '-inf'}')`
        assert.equal(evaluate(`int('${a}') < ${shown}`), a < b)
        assert.equal(evaluate(`dyn(int('${a}')) == dyn(${shown})`), !(a < b) && !(a > b))
      }),
    )
  })

  test('read JSON values unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value))
        const back = show(fromJson(json))
        assert.deepEqual(JSON.stringify(withNumbers(back)), JSON.stringify(json))
        assert.equal(evaluate('object.a == object.b', { a: json, b: structuredClone(json) }), true)
      }),
    )
  })

  test('split and join are inverse, and lengths of strings are in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1, maxLength: 2 }), (text, separator) => {
        const object = { text: text.toWellFormed(), separator: separator.toWellFormed() }
        assert.equal(evaluate('object.text.split(object.separator).join(object.separator)', object), object.text)
        assert.equal(evaluate('object.text.size()', object), BigInt(Array.from(object.text).length))
        assert.equal(evaluate('object.text.substring(0, object.text.size())', object), object.text)
      }),
    )
  })

  test('have a constant cost, and fail with a budget one unit smaller', () => {
    const list = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        list,
        fc.constantFrom('object.l.all(x, x < 3)', 'object.l.map(x, x * 2).sum() > 4', 'object.l.exists_one(x, object.l.exists(y, y > x))'),
        (l, source) => {
          const budget = createBudget()
          const value = evaluate(source, { l }, budget)
          assert.equal(evaluate(source, { l }, createBudget(budget.spent)), value)
          assert.throws(() => evaluate(source, { l }, createBudget(budget.spent - 1)), CelBudgetError)
        },
      ),
    )
  })
})

/** Replaces integers of any size by the nearest number. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(withNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNumbers(each)]))
}
