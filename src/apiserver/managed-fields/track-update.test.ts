import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'
import { withConversions } from './conversions.ts'
import { box, fieldsOf, managersOf, trackedKind } from './managed-fields.fixture.ts'
import { trackUpdate } from './track-update.ts'

const kind = trackedKind()

function created(object: KubeObject, manager = 'one'): KubeObject {
  return trackUpdate(kind.tracking, kind.target(), { old: undefined, next: object, sent: undefined }, manager)
}

function updated(
  old: KubeObject,
  next: KubeObject,
  { manager = 'one', sent, subresource = '' }: { manager?: string; sent?: readonly ManagedFieldsEntry[]; subresource?: string } = {},
): KubeObject {
  return trackUpdate(kind.tracking, kind.target(subresource), { old, next, sent }, manager)
}

test('the creator owns all fields that the server does not set', () => {
  const object = created({ ...box({ color: 'red' }), metadata: { name: 'a', uid: 'u', generation: 1, labels: { x: 'y' } } })
  assert.deepEqual(object.metadata?.managedFields, [
    {
      manager: 'one',
      operation: 'Update',
      apiVersion: 'example.com/v1',
      time: '2026-11-21T10:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } }, 'f:spec': { '.': {}, 'f:color': {} } },
    },
  ])
})

test('a write without a change keeps managedFields identical', () => {
  const made = created(box({ color: 'red' }))
  assert.equal(updated(made, box({ color: 'red' }), { manager: 'two' }).metadata?.managedFields, made.metadata?.managedFields)
})

test('removing a field keeps the time, taking one updates it', () => {
  const made = created(box({ color: 'red', count: 1 }))
  kind.clock.nowMs += 5000
  const less = updated(made, box({ color: 'red' }))
  assert.deepEqual(
    [fieldsOf(less, 'one'), less.metadata?.managedFields?.[0]?.time],
    [{ 'f:spec': { '.': {}, 'f:color': {} } }, '2026-11-21T10:00:00Z'],
  )
  const other = updated(less, box({ color: 'blue' }))
  assert.equal(other.metadata?.managedFields?.[0]?.time, '2026-11-21T10:00:05Z')
})

test('status is owned through its subresource only', () => {
  const made = created(box({ color: 'red' }))
  const next = { ...box({ color: 'blue' }), status: { phase: 'Up' } }
  assert.deepEqual(fieldsOf(updated(made, next, { manager: 'ctl', subresource: 'status' }), 'ctl'), {
    'f:status': { '.': {}, 'f:phase': {} },
  })
  assert.deepEqual(fieldsOf(updated(made, next, { manager: 'main' }), 'main'), { 'f:spec': { 'f:color': {} } })
})

const entry = (fieldsV1: Record<string, unknown>, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: 'sent',
  operation: 'Update',
  apiVersion: 'example.com/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const records: readonly { name: string; sent: readonly ManagedFieldsEntry[] | undefined; managers: readonly string[] }[] = [
  { name: 'no record keeps the one that is there', sent: undefined, managers: ['one Update', 'two Update'] },
  { name: 'an empty record forgets all', sent: [], managers: [] },
  { name: 'one empty entry forgets all', sent: [{}], managers: [] },
  {
    name: 'a record replaces the one that is there',
    sent: [entry({ 'f:spec': { 'f:count': {} } })],
    managers: ['sent Update', 'two Update'],
  },
  { name: 'a malformed record does not', sent: [entry({ 'f:spec': 1 })], managers: ['one Update', 'two Update'] },
  { name: 'a record without operation does not', sent: [entry({}, { operation: '' })], managers: ['one Update', 'two Update'] },
]
for (const { name, sent, managers } of records) {
  test(`managedFields in an update: ${name}`, () => {
    const made = created(box({ color: 'red', count: 1 }))
    const next = updated(made, box({ color: 'blue', count: 1 }), { manager: 'two', ...(sent === undefined ? {} : { sent }) })
    assert.deepEqual(managersOf(next), managers)
  })
}

test('managedFields in a status update are ignored', () => {
  const made = created(box({ color: 'red' }))
  const next = { ...box({ color: 'red' }), status: { phase: 'Up' } }
  assert.deepEqual(
    managersOf(updated(made, next, { manager: 'ctl', subresource: 'status', sent: [{}] })),
    ['ctl Update status', 'one Update'].toSorted(),
  )
})

test('an update adds no managedFields to an object without them', () => {
  assert.equal(updated(box({ color: 'red' }), box({ color: 'blue' })).metadata?.managedFields, undefined)
})

test('the oldest of more than ten updaters are merged', () => {
  let object = created(box({ count: 0 }), 'm0')
  for (let n = 1; n <= 12; n++) {
    kind.clock.nowMs += 1000
    const annotations = { ...object.metadata?.annotations, [`n${n}`]: 'x' }
    object = updated(object, box({ count: 0 }, undefined, annotations), { manager: `m${n}` })
  }
  assert.equal(managersOf(object).length, 10)
  assert.deepEqual(managersOf(object).slice(0, 2), ['ancient-changes Update', 'm4 Update'])
  assert.deepEqual(fieldsOf(object, 'ancient-changes'), {
    'f:metadata': { 'f:annotations': { '.': {}, 'f:n1': {}, 'f:n2': {}, 'f:n3': {} } },
    'f:spec': { '.': {}, 'f:count': {} },
  })
})

test('fields are compared in the version of each manager, also through a webhook', async () => {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { paint: { type: 'string' }, count: { type: 'integer' } } } },
  } as const
  const asked: string[] = []
  const { tracking, target } = trackedKind({
    family: {
      uid: 'u',
      schemas: new Map([
        ['example.com/v1', kind.target().definition.schema],
        ['example.com/v2', schema],
      ]),
      convert: (objects, apiVersion) => {
        asked.push(apiVersion)
        return Promise.resolve(
          objects.map((object) => {
            const { color, ...rest } = (object as unknown as { spec: Record<string, unknown> }).spec
            return { ...object, apiVersion, spec: { ...rest, paint: color } } as KubeObject
          }),
        )
      },
    },
  })
  const managedFields = [
    entry({ 'f:spec': { 'f:paint': {}, 'f:count': {} } }, { manager: 'other', apiVersion: 'example.com/v2' }),
    entry({ 'f:spec': { 'f:count': {} } }, { manager: 'gone', apiVersion: 'example.com/v0' }),
  ]
  const next = await withConversions(tracking, target().definition, (converting) =>
    trackUpdate(
      converting,
      target(),
      { old: box({ color: 'red', count: 1 }, managedFields), next: box({ color: 'blue', count: 1 }), sent: undefined },
      'one',
    ),
  )
  assert.deepEqual(managersOf(next), ['other Update', 'one Update'])
  assert.deepEqual([fieldsOf(next, 'other'), fieldsOf(next, 'one')], [{ 'f:spec': { 'f:count': {} } }, { 'f:spec': { 'f:color': {} } }])
  assert.deepEqual(asked, ['example.com/v2', 'example.com/v2'])
})
