import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FieldError } from '#apimachinery/errors.ts'
import type { StructuralSchema, ValidationRule } from '../schema.ts'
import { validateRules } from './validate-rules.ts'

function text(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`)
}

/** A resource whose spec has these fields and rules. */
function resource(properties: Record<string, StructuralSchema>, ...rules: ValidationRule[]): StructuralSchema {
  return { type: 'object', properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } } }
}

function judge(schema: StructuralSchema, spec: unknown, old?: unknown): { errors: string[]; warnings: string[] } {
  const { errors, warnings } = validateRules({ spec }, schema, old === undefined ? undefined : { spec: old })
  return { errors: text(errors), warnings: text(warnings) }
}

const integer: StructuralSchema = { type: 'integer' }
const string: StructuralSchema = { type: 'string' }

suite('validation rules', () => {
  test('refuse invalid values, with the path and the type of the value', () => {
    const schema = resource({ min: integer, max: integer }, { rule: 'self.min <= self.max' })
    assert.deepEqual(judge(schema, { min: 1, max: 2 }).errors, [])
    assert.deepEqual(judge(schema, { min: 3, max: 2 }).errors, ['spec: Invalid value: "object": failed rule: self.min <= self.max'])
  })

  test('use the message of their author', () => {
    const schema = resource(
      { min: integer, name: string },
      { rule: 'self.min > 0', message: ' must be positive ' },
      { rule: 'self.min > 1', messageExpression: '"min is " + string(self.min)' },
      { rule: 'self.min > 2', reason: 'FieldValueForbidden', fieldPath: '.min', message: 'too small' },
      { rule: 'self.min > 3', reason: 'FieldValueRequired', fieldPath: '.name', message: 'name it' },
      { rule: 'self.min > 4', reason: 'FieldValueDuplicate' },
    )
    assert.deepEqual(judge(schema, { min: 0 }).errors, [
      'spec: Invalid value: "object": must be positive',
      'spec: Invalid value: "object": min is 0',
      'spec.min: Forbidden: too small',
      'spec.name: Required value: name it',
      'spec: Duplicate value: "object"',
    ])
  })

  for (const messageExpression of ['"a\\nb"', '"  "', 'self.name', '"x".replace("x", self.long)']) {
    test(`fall back to their message when ${messageExpression} returns no printable one`, () => {
      const schema = resource({ name: string, long: string }, { rule: 'false', message: 'no', messageExpression })
      assert.deepEqual(judge(schema, { long: 'a'.repeat(6000) }).errors, ['spec: Invalid value: "object": no'])
    })
  }

  test('are evaluated at every path that has them', () => {
    const named: StructuralSchema = { ...string, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')", message: 'a first' }] }
    const schema = resource({
      list: { type: 'array', items: named },
      map: { type: 'object', additionalProperties: named },
      any: {
        'x-kubernetes-int-or-string': true,
        'x-kubernetes-validations': [{ rule: 'type(self) == int || self == "all"', message: 'a number or all' }],
      },
    })
    assert.deepEqual(judge(schema, { list: ['a', 'b'], map: { 'x.y': 'c' }, any: 'none' }).errors, [
      'spec.list[1]: Invalid value: "string": a first',
      'spec.map[x.y]: Invalid value: "string": a first',
      'spec.any: Invalid value: "": a number or all',
    ])
    assert.deepEqual(judge(schema, { list: ['a'], any: 5 }).errors, [])
  })

  test('can read metadata.name at the root', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { name: string } } },
      'x-kubernetes-validations': [{ rule: "self.metadata.name == self.spec.name && self.kind == 'A'", message: 'name twice' }],
    }
    const object = { apiVersion: 'v1', kind: 'A', metadata: { name: 'n' }, spec: { name: 'n' } }
    assert.deepEqual(validateRules(object, schema, undefined).errors, [])
    assert.deepEqual(text(validateRules({ ...object, kind: 'B' }, schema, undefined).errors), [
      '<nil>: Invalid value: "object": name twice',
    ])
  })

  test('that cannot be evaluated refuse with the reason', () => {
    const schema = resource(
      { list: { type: 'array', items: integer }, any: { 'x-kubernetes-int-or-string': true } },
      { rule: 'self.list[5] > 0' },
      { rule: 'self.any > 0' },
    )
    assert.deepEqual(judge(schema, { list: [1], any: 'x' }).errors, [
      'spec: Invalid value: "object": index out of bounds: 5 evaluating rule: self.list[5] > 0',
      `spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.any > 0`,
    ])
  })

  test('in allOf are evaluated, too', () => {
    const schema = resource({ min: { ...integer, allOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 1' }] }] } })
    assert.deepEqual(judge(schema, { min: 1 }).errors, ['spec.min: Invalid value: "integer": failed rule: self > 1'])
  })
})

suite('transition rules', () => {
  const immutable: ValidationRule = { rule: 'self == oldSelf', message: 'is immutable' }

  test('are evaluated for changes only', () => {
    const schema = resource({ name: { ...string, 'x-kubernetes-validations': [immutable] } })
    assert.deepEqual(judge(schema, { name: 'a' }).errors, [])
    assert.deepEqual(judge(schema, { name: 'a' }, { name: 'a' }).errors, [])
    assert.deepEqual(judge(schema, { name: 'b' }, { name: 'a' }).errors, ['spec.name: Invalid value: "string": is immutable'])
    assert.deepEqual(judge(schema, { name: 'b' }, {}).errors, [], 'new fields have no old value')
  })

  test('find the old value of a map by key, and of a list-type map by its keys', () => {
    const item: StructuralSchema = {
      type: 'object',
      properties: { name: string, size: { ...integer, 'x-kubernetes-validations': [immutable] } },
      required: ['name'],
    }
    const schema = resource({
      list: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      map: { type: 'object', additionalProperties: item },
    })
    const disk = (name: string, size: number): object => ({ name, size })
    assert.deepEqual(judge(schema, { list: [disk('b', 2), disk('a', 1)] }, { list: [disk('a', 1), disk('b', 2)] }).errors, [])
    assert.deepEqual(
      judge(schema, { list: [disk('b', 1)], map: { x: disk('x', 2) } }, { list: [disk('b', 2)], map: { x: disk('x', 1) } }).errors,
      ['spec.list[0].size: Invalid value: "integer": is immutable', 'spec.map[x].size: Invalid value: "integer": is immutable'],
    )
  })

  test('with optionalOldSelf are evaluated for new objects, too', () => {
    const schema = resource(
      { name: string },
      { rule: 'oldSelf.hasValue() || self.name == "first"', optionalOldSelf: true, message: 'first' },
    )
    assert.deepEqual(judge(schema, { name: 'a' }).errors, ['spec: Invalid value: "object": first'])
    assert.deepEqual(judge(schema, { name: 'a' }, { name: 'b' }).errors, [])
  })
})

suite('ratcheting', () => {
  const schema = resource({
    name: { ...string, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')", message: 'a first' }] },
    other: string,
    list: { type: 'array', items: { ...string, 'x-kubernetes-validations': [{ rule: "self != ''", message: 'empty' }] } },
  })

  test('warns about unchanged invalid values, and refuses new ones', () => {
    assert.deepEqual(judge(schema, { name: 'b', other: '2' }, { name: 'b', other: '1' }), {
      errors: [],
      warnings: ['spec.name: Invalid value: "string": a first'],
    })
    assert.deepEqual(judge(schema, { name: 'c' }, { name: 'b' }).errors, ['spec.name: Invalid value: "string": a first'])
  })

  test('warns about items of an unchanged list, and refuses those of a changed one', () => {
    assert.deepEqual(judge(schema, { other: '2', list: [''] }, { other: '1', list: [''] }).warnings, [
      'spec.list[0]: Invalid value: "string": empty',
    ])
    assert.deepEqual(judge(schema, { list: ['', 'x'] }, { list: [''] }).errors, ['spec.list[0]: Invalid value: "string": empty'])
  })

  test('does not skip transition rules', () => {
    const never = resource({ name: string }, { rule: 'self.name != oldSelf.name', message: 'must change' })
    assert.deepEqual(judge(never, { name: 'a' }, { name: 'a' }).errors, ['spec: Invalid value: "object": must change'])
  })
})

suite('budgets', () => {
  const list: StructuralSchema = { type: 'array', items: integer }
  const numbers = Array.from({ length: 300 }, (_, index) => index)

  test('abort a rule that costs too much, and all later ones', () => {
    const bomb = 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))'
    const schema = resource({ list }, { rule: bomb, message: 'bomb' }, { rule: 'false' })
    assert.deepEqual(judge(schema, { list: numbers }).errors, [
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: bomb`,
    ])
  })

  test('abort rules that together cost too much', () => {
    const costly: StructuralSchema = { ...list, 'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a + b >= 0))' }] }
    const schema = resource({ lists: { type: 'array', items: costly } })
    const { errors } = judge(schema, { lists: Array.from({ length: 50 }, () => numbers) })
    assert.match(
      errors.join(),
      /^spec.lists\[\d+\]: .*validation failed due to running out of cost budget, no further validation rules will be run$/,
    )
  })

  const slow: readonly [string, string][] = [
    ['errors that are absorbed', 'self.list.all(a, self.list.all(b, a.no == 1 || true))'],
    ['time zones', "self.list.all(a, self.list.all(b, timestamp('2020-01-01T00:00:00Z').getHours('America/New_York') > 0))"],
  ]
  for (const [what, rule] of slow) {
    test(`count the cost of ${what}`, () => {
      const item: StructuralSchema = {
        type: 'object',
        properties: { list: { type: 'array', items: { 'x-kubernetes-int-or-string': true } } },
        'x-kubernetes-validations': [{ rule }],
      }
      const { errors } = judge(resource({ items: { type: 'array', items: item } }), {
        items: Array.from({ length: 60 }, () => ({ list: numbers })),
      })
      assert.match(errors.join(), /(cost limit exceeded|running out of cost budget)/)
    })
  }
})
