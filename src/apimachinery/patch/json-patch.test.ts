import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '../equality.ts'
import { cloneJson } from '../json/json-clone.ts'
import {
  applyJsonPatch,
  JsonPatchError,
  type JsonPatchFailure,
  type JsonPatchOperation,
  type JsonPatchOptions,
  maximumJsonPatchOperations,
} from './json-patch.ts'

const vm = deepFreeze({
  metadata: { name: 'a', labels: { 'a/b': '1', '~': '2' } },
  spec: { disks: [{ name: 'x' }, { name: 'y' }], on: null },
})

const good: readonly { operations: JsonPatchOperation[]; want: unknown; reason: string }[] = [
  { operations: [], want: vm, reason: 'nothing to do' },
  {
    operations: [{ op: 'add', path: '/metadata/uid', value: 'u' }],
    want: { ...vm, metadata: { ...vm.metadata, uid: 'u' } },
    reason: 'a new field',
  },
  { operations: [{ op: 'add', path: '', value: 1 }], want: 1, reason: 'the whole document' },
  {
    operations: [{ op: 'add', path: '/spec/disks/-', value: 1 }],
    want: { ...vm, spec: { ...vm.spec, disks: [...vm.spec.disks, 1] } },
    reason: 'the end of a list',
  },
  {
    operations: [{ op: 'add', path: '/spec/disks/1', value: 1 }],
    want: { ...vm, spec: { ...vm.spec, disks: [vm.spec.disks[0], 1, vm.spec.disks[1]] } },
    reason: 'the middle of a list',
  },
  {
    operations: [{ op: 'remove', path: '/spec/disks/-1' }],
    want: { ...vm, spec: { ...vm.spec, disks: [vm.spec.disks[0]] } },
    reason: 'an index from the end',
  },
  {
    operations: [{ op: 'remove', path: '/metadata/labels/a~1b' }],
    want: { ...vm, metadata: { ...vm.metadata, labels: { '~': '2' } } },
    reason: 'an escaped slash',
  },
  {
    operations: [{ op: 'replace', path: '/metadata/labels/~0', value: null }],
    want: { ...vm, metadata: { ...vm.metadata, labels: { 'a/b': '1', '~': null } } },
    reason: 'an escaped tilde',
  },
  { operations: [{ op: 'test', path: '/spec/disks/0', value: { name: 'x' } }], want: vm, reason: 'a test that holds' },
  { operations: [{ op: 'test', path: '/spec/gone', value: null }], want: vm, reason: 'null for what is absent' },
  { operations: [{ op: 'test', path: '/spec/on', value: null }], want: vm, reason: 'null for null' },
  {
    operations: [{ op: 'move', from: '/spec/on', path: '/off' }],
    want: { metadata: vm.metadata, spec: { disks: vm.spec.disks }, off: null },
    reason: 'a move',
  },
  {
    operations: [{ op: 'copy', from: '/spec/disks/0', path: '/spec/disks/2' }],
    want: { ...vm, spec: { ...vm.spec, disks: [...vm.spec.disks, { name: 'x' }] } },
    reason: 'a copy',
  },
  {
    operations: [
      { op: 'copy', from: '/spec/disks/0', path: '/spec/disks/-' },
      { op: 'replace', path: '/spec/disks/2/name', value: 'z' },
    ],
    want: { ...vm, spec: { ...vm.spec, disks: [...vm.spec.disks, { name: 'z' }] } },
    reason: 'a copy is independent of its source',
  },
]

const bad: readonly { operations: unknown; kind: JsonPatchFailure; index: number; reason: string }[] = [
  { operations: [{ op: 'test', path: '/metadata/name', value: 'b' }], kind: 'test', index: 0, reason: 'another value' },
  { operations: [{ op: 'test', path: '/nothing/here', value: 'b' }], kind: 'path', index: 0, reason: 'a test that leads nowhere' },
  {
    operations: [
      { op: 'add', path: '/a', value: 1 },
      { op: 'remove', path: '/b' },
    ],
    kind: 'path',
    index: 1,
    reason: 'removing what is absent',
  },
  { operations: [{ op: 'replace', path: '/a/b', value: 1 }], kind: 'path', index: 0, reason: 'replacing below what is absent' },
  { operations: [{ op: 'replace', path: '/spec/disks/9', value: 1 }], kind: 'path', index: 0, reason: 'replacing past the end' },
  { operations: [{ op: 'add', path: '/a/b', value: 1 }], kind: 'path', index: 0, reason: 'a missing parent' },
  { operations: [{ op: 'add', path: '/metadata/name/x', value: 1 }], kind: 'path', index: 0, reason: 'a scalar parent' },
  { operations: [{ op: 'add', path: '/spec/disks/3', value: 1 }], kind: 'path', index: 0, reason: 'past the end' },
  { operations: [{ op: 'add', path: '/spec/disks/01', value: 1 }], kind: 'path', index: 0, reason: 'a leading zero' },
  { operations: [{ op: 'remove', path: '/spec/disks/-' }], kind: 'path', index: 0, reason: 'the end cannot be removed' },
  { operations: [{ op: 'remove', path: '' }], kind: 'path', index: 0, reason: 'nor the document' },
  { operations: [{ op: 'move', from: '/spec', path: '/spec/x' }], kind: 'path', index: 0, reason: 'into itself' },
  { operations: [{ op: 'remove', path: '/__proto__' }], kind: 'path', index: 0, reason: 'inherited names are not there' },
  { operations: [{ op: 'remove', path: 'a' }], kind: 'malformed', index: 0, reason: 'a path without slash' },
  { operations: [{ op: 'add', path: '/a' }], kind: 'malformed', index: 0, reason: 'no value' },
  { operations: [{ op: 'move', path: '/a' }], kind: 'malformed', index: 0, reason: 'no from' },
  { operations: [{ op: 'merge', path: '/a' }], kind: 'malformed', index: 0, reason: 'an unknown operation' },
  { operations: [null], kind: 'malformed', index: 0, reason: 'no operation' },
  { operations: { op: 'add' }, kind: 'malformed', index: -1, reason: 'no list' },
  {
    operations: Array.from({ length: maximumJsonPatchOperations + 1 }, () => ({ op: 'test', path: '/x', value: null })),
    kind: 'malformed',
    index: -1,
    reason: 'too many',
  },
]

suite('applyJsonPatch()', () => {
  for (const c of good) test(`applyJsonPatch() does ${c.reason}`, () => assert.deepEqual(applyJsonPatch(vm, c.operations), c.want))
  for (const c of bad) {
    test(`applyJsonPatch() refuses ${c.reason}`, () => {
      const isFailure = (error: unknown): boolean => error instanceof JsonPatchError && error.kind === c.kind && error.index === c.index
      assert.throws(() => applyJsonPatch(vm, c.operations as JsonPatchOperation[]), isFailure)
    })
  }
  const withOptions: readonly {
    document?: unknown
    options: JsonPatchOptions
    operations: JsonPatchOperation[]
    want: unknown
    reason: string
  }[] = [
    { options: { allowMissingPathOnRemove: true }, operations: [{ op: 'remove', path: '/gone' }], want: vm, reason: 'an absent key' },
    { options: { allowMissingPathOnRemove: true }, operations: [{ op: 'remove', path: '/gone/x' }], want: vm, reason: 'an absent parent' },
    {
      options: { allowMissingPathOnRemove: true },
      operations: [{ op: 'remove', path: '/spec/disks/7' }],
      want: vm,
      reason: 'an absent index',
    },
    {
      options: { allowMissingPathOnRemove: true },
      operations: [{ op: 'move', from: '/gone', path: '/spec/x' }],
      want: 'path',
      reason: 'a move of what is absent, which stays an error',
    },
    {
      document: {},
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/b/c', value: 1 }],
      want: { a: { b: { c: 1 } } },
      reason: 'objects',
    },
    {
      document: { a: null },
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/b', value: 1 }],
      want: { a: { b: 1 } },
      reason: 'an object in place of null',
    },
    {
      document: {},
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/-', value: 1 }],
      want: { a: [1] },
      reason: 'a list before -',
    },
    {
      document: {},
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/2/b', value: 1 }],
      want: { a: [null, null, { b: 1 }] },
      reason: 'a list before an index, filled up',
    },
    {
      document: { a: [1] },
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/3/b', value: 1 }],
      want: { a: [1, null, null, { b: 1 }] },
      reason: 'elements of a list that is there',
    },
    {
      document: { a: 1 },
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/b', value: 1 }],
      want: 'path',
      reason: 'nothing below a scalar',
    },
    {
      document: {},
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'add', path: '/a/999999999/b', value: 1 }],
      want: 'malformed',
      reason: 'no list of any length',
    },
    {
      document: {},
      options: { ensurePathExistsOnAdd: true },
      operations: [{ op: 'replace', path: '/a/b', value: 1 }],
      want: 'path',
      reason: 'nothing for replace',
    },
    { options: {}, operations: [{ op: 'replace', path: '/x', value: 1 }], want: { ...vm, x: 1 }, reason: 'replace sets an absent key' },
    {
      options: {},
      operations: [{ op: 'copy', from: '/none', path: '/x' }],
      want: { ...vm, x: null },
      reason: 'an absent key is copied as null',
    },
    {
      options: { refusesAbsentValues: true },
      operations: [{ op: 'replace', path: '/x', value: 1 }],
      want: 'path',
      reason: 'nothing to replace',
    },
    {
      options: { refusesAbsentValues: true },
      operations: [{ op: 'copy', from: '/none', path: '/x' }],
      want: 'path',
      reason: 'nothing to copy',
    },
    {
      options: { supportNegativeIndices: false },
      operations: [{ op: 'remove', path: '/spec/disks/-1' }],
      want: 'path',
      reason: 'no index from the end',
    },
    {
      options: { accumulatedCopySizeLimit: 3 },
      operations: [{ op: 'copy', from: '/metadata/name', path: '/x' }],
      want: { ...vm, x: 'a' },
      reason: 'a copy within the limit',
    },
    {
      options: { accumulatedCopySizeLimit: 2 },
      operations: [{ op: 'copy', from: '/metadata/name', path: '/x' }],
      want: 'malformed',
      reason: 'no copy above the limit',
    },
  ]
  for (const { document = vm, options, operations, want, reason } of withOptions) {
    test(`applyJsonPatch() with ${Object.keys(options).join()}: ${reason}`, () => {
      const before = deepFreeze(cloneJson(document))
      if (typeof want !== 'string') return assert.deepEqual(applyJsonPatch(before, operations, options), want)
      return assert.throws(
        () => applyJsonPatch(before, operations, options),
        (error: unknown) => error instanceof JsonPatchError && error.kind === want,
      )
    })
  }
  test('applyJsonPatch() shares unchanged values', () => {
    const result = applyJsonPatch(vm, [{ op: 'add', path: '/metadata/name', value: 'b' }]) as typeof vm
    assert.equal(result.spec, vm.spec)
  })
  test('applyJsonPatch() does not change the values of the operations', () => {
    const value = deepFreeze({ list: [1] })
    const result = applyJsonPatch({}, [
      { op: 'add', path: '/a', value },
      { op: 'add', path: '/b', value },
      { op: 'add', path: '/a/list/-', value: 2 },
    ])
    assert.deepEqual(result, { a: { list: [1, 2] }, b: { list: [1] } })
  })
  test('applyJsonPatch() keeps __proto__ as data', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { x: 1 } }])
    assert.equal(JSON.stringify(result), '{"__proto__":{"x":1}}')
    assert.equal(Object.getPrototypeOf(result), Object.prototype)
  })
  test('applyJsonPatch() limits copies that grow exponentially', () => {
    const operations = Array.from({ length: 64 }, (): JsonPatchOperation => ({ op: 'copy', from: '/a', path: '/a/-' }))
    const isFailure = (error: unknown): boolean => error instanceof JsonPatchError && error.kind === 'malformed'
    assert.throws(() => applyJsonPatch({ a: ['xxxxxxxx'] }, operations), isFailure)
  })
})

/**
 * A model that is too simple to be wrong: clones at every step and walks by hand. Returns undefined
 * when the operation cannot be done.
 */
function applyModel(document: unknown, operation: JsonPatchOperation): unknown {
  const copy = cloneJson(document)
  const tokens = operation.path.split('/').slice(1)
  const last = tokens.pop() ?? ''
  let holder: unknown = copy
  for (const token of tokens) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, token)) return undefined
    holder = (holder as Record<string, unknown>)[token]
  }
  if (typeof holder !== 'object' || holder === null) return undefined
  const there = Object.hasOwn(holder, last) && !(Array.isArray(holder) && last === 'length')
  if (operation.op === 'add' && Array.isArray(holder)) {
    const index = last === '-' ? holder.length : Number(last)
    if (!(index <= holder.length)) return undefined
    holder.splice(index, 0, operation.value)
  } else if (operation.op === 'add' || (operation.op === 'replace' && (there || !Array.isArray(holder))))
    (holder as Record<string, unknown>)[last] = operation.value
  else if (operation.op === 'remove' && there) {
    if (Array.isArray(holder)) holder.splice(Number(last), 1)
    else delete (holder as Record<string, unknown>)[last]
  } else return undefined
  return copy
}

const token = fc.constantFrom('a', 'b', '0', '1', '2', '-')
const path = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => `/${tokens.join('/')}`)
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 0, max: 3 }),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('node'), { noNullPrototype: true }),
  ),
})).node
const operation: fc.Arbitrary<JsonPatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), path, value: tree }),
  fc.record({ op: fc.constant('remove' as const), path }),
)

test('a JSON patch agrees with a naive model, is atomic, and does not change its arguments', () => {
  fc.assert(
    fc.property(tree, fc.array(operation, { maxLength: 6 }), (document, operations) => {
      deepFreeze(document)
      deepFreeze(operations)
      let want: unknown = document
      for (const one of operations) want = want === undefined ? undefined : applyModel(want, one)
      if (want === undefined) assert.throws(() => applyJsonPatch(document, operations), JsonPatchError)
      else assert.deepEqual(applyJsonPatch(document, operations), want)
    }),
    { numRuns: 2000 },
  )
})
