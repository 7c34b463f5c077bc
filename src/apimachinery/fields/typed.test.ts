import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StructuralSchema } from '../structural/schema.ts'
import { checkType } from './check-type.ts'
import { compare } from './compare.ts'
import { fieldTypeOf } from './field-type.ts'
import { decodeFieldsV1 } from './fields-v1.ts'
import { schema, textOf, type } from './fields.fixture.ts'
import { mergeApplied } from './merge.ts'
import { reconcileFields } from './reconcile.ts'
import { removeFields } from './remove.ts'
import { toFieldSet } from './to-field-set.ts'

const sets: readonly { name: string; object: object; text: string }[] = [
  { name: 'a scalar', object: { name: 'x' }, text: '{"f:name":{}}' },
  { name: 'fields of an object, not the object', object: { struct: { a: 'x' } }, text: '{"f:struct":{"f:a":{}}}' },
  { name: 'an empty object', object: { struct: {} }, text: '{"f:struct":{}}' },
  { name: 'a null', object: { struct: null, name: null }, text: '{"f:name":{},"f:struct":{}}' },
  { name: 'an atomic object as a whole', object: { atomicMap: { a: 'x' } }, text: '{"f:atomicMap":{}}' },
  { name: 'keys of a map', object: { labels: { p: 'x' } }, text: '{"f:labels":{"f:p":{}}}' },
  { name: 'keys of a map and what is below', object: { groups: { p: { a: 'x' } } }, text: '{"f:groups":{"f:p":{".":{},"f:a":{}}}}' },
  { name: 'an atomic list as a whole', object: { list: ['x'] }, text: '{"f:list":{}}' },
  { name: 'values of a set', object: { set: ['y', 'x'] }, text: '{"f:set":{"v:\\"x\\"":{},"v:\\"y\\"":{}}}' },
  { name: 'nothing of an empty set', object: { set: [] }, text: '{}' },
  {
    name: 'items of a keyed list, with the key that a default fills in',
    object: { keyed: [{ name: 'x', port: 1 }] },
    text: '{"f:keyed":{"k:{\\"name\\":\\"x\\",\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{},"f:port":{}}}}',
  },
  {
    name: 'items with the same key in one lump',
    object: { keyed: [{ name: 'x', port: 1 }, { name: 'x' }] },
    text: '{"f:keyed":{"k:{\\"name\\":\\"x\\",\\"protocol\\":\\"TCP\\"}":{}}}',
  },
  {
    name: 'what no schema describes: objects by field, lists whole',
    object: { free: { p: { q: [1] } } },
    text: '{"f:free":{"f:p":{".":{},"f:q":{}}}}',
  },
]
for (const { name, object, text } of sets) {
  test(`toFieldSet() has ${name}`, () => assert.equal(textOf(toFieldSet(type, object)), text))
}

const comparisons: readonly { name: string; old: unknown; next: unknown; removed?: string; modified?: string; added?: string }[] = [
  { name: 'nothing', old: { name: 'x' }, next: { name: 'x' } },
  { name: 'a scalar', old: { name: 'x' }, next: { name: 'y' }, modified: '{"f:name":{}}' },
  { name: 'all that came', old: {}, next: { struct: { a: 'x' } }, added: '{"f:struct":{".":{},"f:a":{}}}' },
  { name: 'all that went', old: { set: ['x'] }, next: {}, removed: '{"f:set":{".":{},"v:\\"x\\"":{}}}' },
  { name: 'an atomic list', old: { list: ['x', 'y'] }, next: { list: ['y', 'x'] }, modified: '{"f:list":{}}' },
  { name: 'no order of a set', old: { set: ['x', 'y'] }, next: { set: ['y', 'x'] } },
  { name: 'null and empty, when there is nothing else', old: { struct: null }, next: { struct: {} }, modified: '{"f:struct":{}}' },
  {
    name: 'items by their key',
    old: { keyed: [{ name: 'x', port: 1 }, { name: 'y' }] },
    next: { keyed: [{ name: 'z' }, { name: 'x', port: 2 }] },
    removed: '{"f:keyed":{"k:{\\"name\\":\\"y\\",\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}',
    modified: '{"f:keyed":{"k:{\\"name\\":\\"x\\",\\"protocol\\":\\"TCP\\"}":{"f:port":{}}}}',
    added: '{"f:keyed":{"k:{\\"name\\":\\"z\\",\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}',
  },
  {
    name: 'items with the same key as one lump',
    old: { set: ['x', 'x'] },
    next: { set: ['x', 'x', 'x'] },
    modified: '{"f:set":{"v:\\"x\\"":{}}}',
  },
  {
    name: 'a free field of another shape',
    old: { free: { p: 'x' } },
    next: { free: { p: { q: 1 } } },
    modified: '{"f:free":{"f:p":{}}}',
    added: '{"f:free":{"f:p":{"f:q":{}}}}',
  },
]
for (const { name, old, next, removed = '{}', modified = '{}', added = '{}' } of comparisons) {
  test(`compare() finds ${name}`, () => {
    const found = compare(type, old, next)
    assert.deepEqual([textOf(found.removed), textOf(found.modified), textOf(found.added)], [removed, modified, added])
  })
}

const merges: readonly { name: string; live: object; applied: object; merged: object }[] = [
  { name: 'fields', live: { name: 'x', count: 1 }, applied: { name: 'y' }, merged: { name: 'y', count: 1 } },
  { name: 'null over a scalar', live: { name: 'x' }, applied: { name: null }, merged: { name: null } },
  { name: 'null over an object, which stays', live: { struct: { a: 'x' } }, applied: { struct: null }, merged: { struct: { a: 'x' } } },
  { name: 'an atomic object', live: { atomicMap: { a: 'x' } }, applied: { atomicMap: { b: 'y' } }, merged: { atomicMap: { b: 'y' } } },
  { name: 'an atomic list', live: { list: ['x'] }, applied: { list: ['y'] }, merged: { list: ['y'] } },
  {
    name: 'sets: shared values in the applied order',
    live: { set: ['a', 'b', 'c'] },
    applied: { set: ['c', 'a'] },
    merged: { set: ['b', 'c', 'a'] },
  },
  {
    name: 'sets: new values before the next shared one',
    live: { set: ['a', 'b'] },
    applied: { set: ['n', 'b', 'm'] },
    merged: { set: ['a', 'n', 'b', 'm'] },
  },
  {
    name: 'sets: live values stay around',
    live: { set: ['a', 'b', 'c', 'd'] },
    applied: { set: ['b', 'd'] },
    merged: { set: ['a', 'b', 'c', 'd'] },
  },
  {
    name: 'items of a keyed list',
    live: { keyed: [{ name: 'x', port: 1, tags: ['a'] }, { name: 'y' }] },
    applied: { keyed: [{ name: 'x', protocol: 'TCP', tags: ['b'] }] },
    merged: { keyed: [{ name: 'x', port: 1, tags: ['a', 'b'], protocol: 'TCP' }, { name: 'y' }] },
  },
]
for (const { name, live, applied, merged } of merges) {
  test(`mergeApplied() merges ${name}`, () => assert.deepEqual(mergeApplied(type, live, applied), merged))
}

const removals: readonly { name: string; object: object; fields: Record<string, unknown>; rest: object | undefined }[] = [
  { name: 'a field', object: { name: 'x', count: 1 }, fields: { 'f:name': {} }, rest: { count: 1 } },
  {
    name: 'all fields of an object, which stays',
    object: { struct: { a: 'x' } },
    fields: { 'f:struct': { 'f:a': {} } },
    rest: { struct: {} },
  },
  {
    name: 'an object with its fields',
    object: { struct: { a: 'x' }, count: 1 },
    fields: { 'f:struct': { '.': {}, 'f:a': {} } },
    rest: { count: 1 },
  },
  { name: 'values of a set', object: { set: ['x', 'y'] }, fields: { 'f:set': { 'v:"x"': {} } }, rest: { set: ['y'] } },
  {
    name: 'the last item of a list, which stays',
    object: { keyed: [{ name: 'x' }] },
    fields: { 'f:keyed': { 'k:{"name":"x","protocol":"TCP"}': {} } },
    rest: { keyed: [] },
  },
  { name: 'everything', object: { name: 'x' }, fields: { 'f:name': {} }, rest: undefined },
]
for (const { name, object, fields, rest } of removals) {
  test(`removeFields() removes ${name}`, () => assert.deepEqual(removeFields(type, object, decodeFieldsV1(fields)), rest))
}

test('sets of a granular schema own the whole field after it became atomic', () => {
  const properties = { ...schema.properties, struct: { ...schema.properties?.['struct'], 'x-kubernetes-map-type': 'atomic' } }
  const atomic = fieldTypeOf({ ...schema, properties } as StructuralSchema)
  const before = decodeFieldsV1({ 'f:name': {}, 'f:struct': { 'f:a': {}, 'f:inner': { 'f:x': {} } } })
  assert.equal(textOf(reconcileFields(atomic, before)), '{"f:name":{},"f:struct":{}}')
  assert.equal(reconcileFields(type, before), before)
  const leaf = decodeFieldsV1({ 'f:struct': {} })
  assert.equal(reconcileFields(type, leaf), leaf)
})

const faults: readonly { object: unknown; message: string }[] = [
  { object: { nome: 'x' }, message: '.nome: field not declared in schema' },
  { object: { count: '1' }, message: '.count: expected numeric (int or float), got string' },
  { object: { name: 1 }, message: '.name: expected string, got &value.valueUnstructured{Value:1}' },
  { object: { struct: 'x' }, message: '.struct: expected map, got &{x}' },
  { object: { set: { a: 1 } }, message: '.set: expected list, got &{map[a:1]}' },
  { object: { set: ['x', 'x'] }, message: '.set: duplicate entries for key [="x"]' },
  {
    object: { keyed: [{ port: 1 }, { name: 'x', protocol: 'TCP' }, { name: 'x' }] },
    message: '.keyed: duplicate entries for key [name="x",protocol="TCP"]',
  },
  {
    object: { name: 1, count: '1' },
    message:
      'errors:\n  .name: expected string, got &value.valueUnstructured{Value:1}\n  .count: expected numeric (int or float), got string',
  },
]
for (const { object, message } of faults) {
  test(`checkType() refuses ${JSON.stringify(object)}`, () =>
    assert.throws(() => checkType(type, object), { name: 'FieldTypeError', message }))
}

test('a list item without any of its keys is refused', () => {
  const keyless = fieldTypeOf({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'b'],
    items: { type: 'object' },
  })
  const message =
    'element 0: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn\'t have default values for any key fields)'
  assert.throws(() => checkType(keyless, [{ c: 1 }]), { message })
})
