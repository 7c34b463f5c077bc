import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { box, fieldsOf, type Loose, managersOf, trackedKind } from './managed-fields.fixture.ts'
import { trackUpdate } from './track-update.ts'

const kind = trackedKind()
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

function applied(live: KubeObject | undefined, config: KubeObject, manager = 'one', force = false): Loose {
  return applyConfiguration(kind.tracking, kind.target(), live, { config, manager, force }) as Loose
}

test('the first apply records an owner for everything that existed before', () => {
  const next = applied(box({ color: 'red', count: 1 }), box({ color: 'red' }))
  assert.deepEqual(managersOf(next), ['one Apply', 'before-first-apply Update'])
  assert.deepEqual(fieldsOf(next, 'before-first-apply'), { 'f:spec': { '.': {}, 'f:color': {}, 'f:count': {} } })
  assert.throws(() => applied(box({ color: 'red' }), box({ color: 'blue' })), {
    code: 409,
    message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.color',
  })
})

/** An object after client-side apply. */
function clientSide(spec: object): KubeObject {
  const object = box(spec, undefined, { [lastApplied]: `${JSON.stringify(box(spec))}\n` })
  return trackUpdate(kind.tracking, kind.target(), { old: undefined, next: object, sent: undefined }, 'kubectl-client-side-apply')
}

test('kubectl migrates from client-side apply without a conflict, and updates its annotation', () => {
  const next = applied(clientSide({ color: 'red' }), box({ color: 'blue' }), 'kubectl')
  assert.deepEqual(next['spec'], { color: 'blue' })
  assert.equal(
    next.metadata?.annotations?.[lastApplied],
    '{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"color":"blue"}}\n',
  )
})

test('a migration conflicts with later changes of others', () => {
  const live = clientSide({ color: 'red', count: 1 })
  const changed = trackUpdate(
    kind.tracking,
    kind.target(),
    { old: live, next: { ...live, spec: { color: 'green', count: 1 } } as KubeObject, sent: undefined },
    'eve',
  )
  assert.throws(() => applied(changed, box({ color: 'blue', count: 2 }), 'kubectl'), {
    message: 'Apply failed with 1 conflict: conflict with "eve" using example.com/v1: .spec.color',
  })
})

test('a migration is limited to kubectl', () => {
  assert.throws(() => applied(clientSide({ color: 'red' }), box({ color: 'blue' }), 'flux'), { code: 409 })
})

test('objects without the annotation get none', () => {
  assert.equal(applied(undefined, box({ color: 'red' }), 'kubectl').metadata?.annotations, undefined)
})

test('applying an equal value shares its ownership and changes nothing else', () => {
  const one = applied(undefined, box({ color: 'red' }))
  const both = applied(one, box({ color: 'red' }), 'two')
  assert.deepEqual([managersOf(both), both['spec']], [['two Apply', 'one Apply'], { color: 'red' }])
})

test('an apply fails when the live object violates its schema', () => {
  const keyed = trackedKind({
    schema: {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['n'],
          items: { type: 'object', properties: { n: { type: 'string' } } },
        },
      },
    },
  })
  const live = { apiVersion: 'example.com/v1', kind: 'Box', metadata: { name: 'a' }, list: [{}] }
  const config = { ...live, list: [{ n: 'x' }] }
  const run = (): unknown => applyConfiguration(keyed.tracking, keyed.target(), live, { config, manager: 'one', force: false })
  assert.throws(run, { code: 500, message: /omits all key fields/ })
})
