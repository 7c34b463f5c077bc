import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '../equality.ts'
import type { StructuralSchema } from '../structural/schema.ts'
import { applyMergePatch } from './merge-patch.ts'
import { applyStrategicMerge, StrategicMergeError } from './strategic-merge.ts'

const keyed = (mergeKey: string, properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'array',
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': mergeKey,
  items: { type: 'object', properties },
})
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    containers: keyed('name', { env: keyed('name', {}), ports: keyed('containerPort', {}), args: { type: 'array' } }),
    volumes: { ...keyed('name', {}), 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    tolerations: { type: 'array', items: { type: 'object' } },
    strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' },
    selector: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
    unkeyed: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'object' } },
  },
}

type Json = Record<string, unknown>
const cases: readonly { target: Json; patch: Json; want: Json; reason: string }[] = [
  {
    target: { a: 1, b: { c: 1, d: 2 } },
    patch: { b: { c: null, e: 3 } },
    want: { a: 1, b: { d: 2, e: 3 } },
    reason: 'objects merge and null removes',
  },
  {
    target: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'b' }] },
    want: { tolerations: [{ key: 'b' }] },
    reason: 'lists are replaced unless the schema says otherwise',
  },
  {
    target: { containers: [{ name: 'a', image: '1' }, { name: 'b' }] },
    patch: { containers: [{ name: 'a', image: '2' }] },
    want: { containers: [{ name: 'a', image: '2' }, { name: 'b' }] },
    reason: 'items merge by key and keep their place',
  },
  {
    target: { containers: [{ name: 'a' }] },
    patch: { containers: [{ name: 'b' }] },
    want: { containers: [{ name: 'b' }, { name: 'a' }] },
    reason: 'new items come first',
  },
  {
    target: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }] },
    patch: { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] },
    want: { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }, { name: 'Y' }] }] },
    reason: 'lists inside items merge too',
  },
  {
    target: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ $patch: 'delete', name: 'a' }] },
    want: { containers: [{ name: 'b' }] },
    reason: 'an item is deleted',
  },
  {
    target: { containers: [{ name: 'a' }] },
    patch: { containers: [{ $patch: 'replace' }, { name: 'b' }] },
    want: { containers: [{ name: 'b' }] },
    reason: 'a keyed list is replaced',
  },
  {
    target: {},
    patch: { containers: [{ name: 'a', env: [{ name: 'X', $patch: 'delete' }] }] },
    want: { containers: [{ name: 'a', env: [] }] },
    reason: 'directives never end up in the result',
  },
  { target: { b: { c: 1 } }, patch: { b: { $patch: 'replace', d: 1 } }, want: { b: { d: 1 } }, reason: 'an object is replaced' },
  { target: { b: { c: 1 } }, patch: { b: { $patch: 'delete' } }, want: { b: {} }, reason: 'an object is emptied' },
  {
    target: { selector: { a: 1 } },
    patch: { selector: { b: 1 } },
    want: { selector: { b: 1 } },
    reason: 'an object with strategy replace',
  },
  {
    target: { strategy: { type: 'Rolling', rolling: { a: 1 } } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    want: { strategy: { type: 'Recreate' } },
    reason: 'only the keys named are retained',
  },
  {
    target: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] },
    want: { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    reason: 'retained keys of an item',
  },
  {
    target: { finalizers: ['a', 'b'] },
    patch: { finalizers: ['b', 'c'] },
    want: { finalizers: ['a', 'b', 'c'] },
    reason: 'scalars are joined',
  },
  {
    target: { finalizers: ['a', 'b'] },
    patch: { '$deleteFromPrimitiveList/finalizers': ['a'] },
    want: { finalizers: ['b'] },
    reason: 'scalars are deleted',
  },
  {
    target: { finalizers: ['a', 'b'] },
    patch: { '$setElementOrder/finalizers': ['c', 'b'], '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
    want: { finalizers: ['c', 'b'] },
    reason: 'scalars are ordered',
  },
  {
    target: { containers: [{ name: 'a' }, { name: 's' }, { name: 'b' }] },
    patch: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
    want: { containers: [{ name: 's' }, { name: 'b' }, { name: 'a' }] },
    reason: 'items are ordered, and the others keep their place where they can',
  },
  {
    target: { containers: [{ name: 'a' }, { name: 's' }] },
    patch: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'n' }], containers: [{ name: 'n' }] },
    want: { containers: [{ name: 'a' }, { name: 'n' }, { name: 's' }] },
    reason: 'a new item comes before what the patch does not name',
  },
  {
    target: { containers: [{ name: 'old' }, { name: 's' }] },
    patch: { '$setElementOrder/containers': [{ name: 'new' }], containers: [{ name: 'new' }, { $patch: 'delete', name: 'old' }] },
    want: { containers: [{ name: 's' }, { name: 'new' }] },
    reason: 'a new item takes the place of a deleted one',
  },
  {
    target: { finalizers: ['a'] },
    patch: { '$setElementOrder/finalizers': ['n', 'a'], finalizers: ['n'] },
    want: { finalizers: ['n', 'a'] },
    reason: 'a new scalar comes where the order has it',
  },
  {
    target: { containers: [{ name: 'a' }] },
    patch: { containers: [{ $patch: 'replace' }, { name: 'b' }, { $patch: 'delete', name: 'c' }] },
    want: { containers: [{ name: 'b' }] },
    reason: 'a replaced list holds no deletions',
  },
  { target: {}, patch: { b: { $patch: 'replace', d: 1 } }, want: {}, reason: 'a missing list cannot be replaced' },
  {
    target: { a: 1 },
    patch: { '$setElementOrder/containers': [{ name: 'a' }] },
    want: { a: 1 },
    reason: 'the order of a missing list',
  },
  {
    target: { volumes: [{ name: 'v', emptyDir: {} }, { name: 'w' }] },
    patch: { '$setElementOrder/volumes': [{ name: 'w' }, { name: 'v' }], volumes: [{ name: 'v', $retainKeys: ['name'] }] },
    want: { volumes: [{ name: 'w' }, { name: 'v' }] },
    reason: 'items are ordered and keys retained at once',
  },
  {
    target: { containers: 'x' },
    patch: { containers: [{ name: 'a' }] },
    want: { containers: [{ name: 'a' }] },
    reason: 'another type is replaced',
  },
  { target: { b: 1 }, patch: { b: { c: { d: null, e: 1 } } }, want: { b: { c: { e: 1 } } }, reason: 'nulls vanish from what is new' },
]

suite('applyStrategicMerge()', () => {
  for (const c of cases) {
    test(`applyStrategicMerge(): ${c.reason}`, () => {
      assert.deepEqual(applyStrategicMerge(deepFreeze(c.target), deepFreeze(c.patch), schema), c.want)
    })
  }
  const bad: readonly [unknown, string][] = [
    [{ containers: [{ image: 'x' }] }, 'an item without key'],
    [{ b: { $patch: 'shuffle' } }, 'an unknown directive'],
    [{ strategy: { $retainKeys: ['type'], other: 1 } }, 'a field that is not retained'],
    [{ unkeyed: [{ a: 1 }] }, 'a schema without key'],
    [{ '$setElementOrder/finalizers': 'a', finalizers: [] }, 'an order that is no list'],
    [['x'], 'a list as patch'],
  ]
  for (const [patch, reason] of bad) {
    test(`applyStrategicMerge() refuses ${reason}`, () => {
      assert.throws(() => applyStrategicMerge({ b: {}, strategy: { type: 'x' } }, patch, schema), StrategicMergeError)
    })
  }
  test('applyStrategicMerge() returns the same target when nothing changes', () => {
    const target = { containers: [{ name: 'a', image: '1' }] }
    assert.equal(applyStrategicMerge(target, { containers: [{ name: 'a', image: '1' }] }, schema), target)
  })
  test('without a schema it is a merge patch', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
    fc.assert(
      fc.property(value, value, (target, patch) => {
        // Merge patches keep replaced lists verbatim; strategic ones drop nulls inside of their
        // objects.
        fc.pre(!JSON.stringify(patch).includes('['))
        assert.deepEqual(applyStrategicMerge(deepFreeze(target), deepFreeze(patch), {}), applyMergePatch(target, patch))
      }),
    )
  })
})
