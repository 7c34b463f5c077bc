import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cloneJson, cloneWithoutNulls } from './json-clone.ts'
import { getOwn, setOwnInto } from '../own-property.ts'

suite('cloneJson()', () => {
  test('cloneJson() shares no object with its argument', () => {
    const value = { a: [{ b: 1 }] }
    const copy = cloneJson(value) as typeof value
    assert.deepEqual(copy, value)
    assert.notEqual(copy.a[0], value.a[0])
  })
  test('cloneJson() keeps __proto__ as data', () => {
    assert.equal(JSON.stringify(cloneJson(JSON.parse('{"__proto__":{"x":1}}'))), '{"__proto__":{"x":1}}')
  })
})

suite('cloneWithoutNulls()', () => {
  test('cloneWithoutNulls() drops null members, and keeps null items', () => {
    assert.deepEqual(cloneWithoutNulls({ a: null, b: { c: null }, d: [null, { e: null, f: 0 }], g: '' }), {
      b: {},
      d: [null, { f: 0 }],
      g: '',
    })
  })
})

suite('own properties', () => {
  test('getOwn() ignores inherited properties', () => assert.equal(getOwn({}, 'constructor'), undefined))
  test('setOwnInto() never replaces the prototype', () => {
    const target: Record<string, unknown> = {}
    setOwnInto(target, '__proto__', { x: 1 })
    assert.equal(Object.getPrototypeOf(target), Object.prototype)
    assert.deepEqual(getOwn(target, '__proto__'), { x: 1 })
  })
})
