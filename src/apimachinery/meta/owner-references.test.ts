import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject, OwnerReference } from './object-meta.ts'
import { controllerOf, isControlledBy, isOwnedBy } from './owner-references.ts'

function reference(uid: string, controller?: boolean): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: 'a', uid, ...(controller === undefined ? {} : { controller }) }
}

const owner: KubeObject = { metadata: { name: 'a', uid: 'own' } }

const cases: readonly [string, KubeObject, { controller: string | undefined; isControlled: boolean; isOwned: boolean }][] = [
  ['has no metadata', {}, { controller: undefined, isControlled: false, isOwned: false }],
  ['has no owner', { metadata: {} }, { controller: undefined, isControlled: false, isOwned: false }],
  ['is controlled', { metadata: { ownerReferences: [reference('own', true)] } }, { controller: 'own', isControlled: true, isOwned: true }],
  [
    'is owned without a controller',
    { metadata: { ownerReferences: [reference('own'), reference('other', false)] } },
    { controller: undefined, isControlled: false, isOwned: true },
  ],
  [
    'is owned, but controlled by another object',
    { metadata: { ownerReferences: [reference('own', false), reference('other', true)] } },
    { controller: 'other', isControlled: false, isOwned: true },
  ],
  [
    'is controlled by an earlier object of the same name',
    { metadata: { ownerReferences: [reference('earlier', true)] } },
    { controller: 'earlier', isControlled: false, isOwned: false },
  ],
]

suite('owner references of an object that', () => {
  for (const [title, object, expected] of cases) {
    test(title, () => {
      const { controller, isControlled, isOwned } = expected
      assert.equal(controllerOf(object)?.uid, controller)
      assert.equal(isControlledBy(object, owner), isControlled)
      assert.equal(isOwnedBy(object, owner), isOwned)
    })
  }

  test('has a controller never match an owner without UID', () => {
    const object = { metadata: { ownerReferences: [reference('', true)] } }
    assert.equal(isControlledBy(object, { metadata: {} }), false)
    assert.equal(isOwnedBy(object, {}), false)
  })
})
