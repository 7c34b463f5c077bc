import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { defaultForm as own, instancetypeOf, preferenceOf, revisionOf, vmOf } from '../instancetype.fixture.ts'
import type { Instancetype, Preference } from '../types.ts'
import { holderOf } from './holder.ts'
import { matchesRevisionName } from './revision-name.ts'
import { revisionFormatOf, hasFormat, sharedLabel, type RevisionFormat } from './storage-format.ts'
import { revisionLabels } from './labels.ts'

const shared: RevisionFormat = { ...own, sharing: 'shared' }
const vm = vmOf()
const other = { ...vm, metadata: { ...vm.metadata, name: 'db', uid: 'db-uid' } }
const small = instancetypeOf()
const nameOf = (object: Instancetype | Preference, format: RevisionFormat = shared, of = vm): string =>
  revisionOf(of, object, format).metadata.name ?? ''

/** Returns a revision with changed labels; undefined removes one. */
function labelled(revision: ControllerRevision, change: Record<string, string | undefined>): ControllerRevision {
  const labels = Object.entries({ ...revision.metadata.labels, ...change }).filter((entry) => entry[1] !== undefined)
  return { ...revision, metadata: { ...revision.metadata, labels: Object.fromEntries(labels) as Record<string, string> } }
}

suite('wantedRevision()', () => {
  test('returns one shared revision for all captures of the same content, without owner', () => {
    const revision = revisionOf(vm, small, shared)
    assert.match(revision.metadata.name ?? '', /^shared-small-v1beta1-[0-9a-f]{20}$/)
    assert.deepEqual(revision, revisionOf(other, small, shared))
    assert.equal(revision.metadata.ownerReferences, undefined)
    assert.equal(revision.metadata.labels?.[sharedLabel], 'true')
  })

  test('ignores key order and UID in shared names', () => {
    const again = { ...small, metadata: { ...small.metadata, uid: 'again', generation: 1, resourceVersion: '9' } }
    const reordered = { ...small, spec: { memory: { guest: '1Gi' }, cpu: { guest: 2 } } }
    assert.deepEqual([nameOf(again), nameOf(reordered)], [nameOf(small), nameOf(small)])
  })

  test('distinguishes kind, name, content and version in shared names', () => {
    const objects = [
      small,
      { ...small, kind: 'VirtualMachineClusterInstancetype' as const },
      { ...small, metadata: { ...small.metadata, name: 'large' } },
      instancetypeOf({ cpu: { guest: 3 } }),
      preferenceOf(),
    ]
    const names = [...objects.map((object) => nameOf(object)), nameOf(small, { ...shared, version: 'v1' })]
    assert.equal(new Set(names).size, names.length)
  })

  test('returns valid names at any length', () => {
    for (let length = 215; length < 235; length++) {
      const long = { ...small, metadata: { ...small.metadata, name: `${'n'.repeat(length)}.x-${'y'.repeat(20)}`.slice(0, 253) } }
      for (const format of [own, shared]) {
        const name = nameOf(long, format)
        assert.ok(name.length <= 253)
        assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
      }
    }
  })
})

suite('hasFormat()', () => {
  const ofVm = revisionOf(vm, small)
  const ofAll = revisionOf(vm, small, shared)
  const rows: readonly { reason: string; revision: ControllerRevision; format: RevisionFormat; family?: 'preference'; want: boolean }[] = [
    { reason: 'as it is captured', revision: ofVm, format: own, want: true },
    { reason: 'as it is captured', revision: ofAll, format: shared, want: true },
    { reason: 'shared under the own format', revision: ofAll, format: own, want: false },
    { reason: 'own under the shared format', revision: ofVm, format: shared, want: false },
    { reason: 'of another version', revision: ofVm, format: { ...own, version: 'v1' }, want: false },
    { reason: 'without labels', revision: { ...ofVm, metadata: { name: 'x' } }, format: own, want: false },
    {
      reason: 'a wrong version label',
      revision: labelled(ofVm, { [revisionLabels.version]: 'v1' }),
      format: own,
      want: false,
    },
    {
      reason: 'a wrong object label',
      revision: labelled(ofVm, { [revisionLabels.name]: 'large' }),
      format: own,
      want: false,
    },
    {
      reason: 'data of an older version than the label',
      revision: { ...ofVm, data: { ...ofVm.data, apiVersion: 'instancetype.kubevirt.io/v1alpha2' } },
      format: own,
      want: false,
    },
    {
      reason: 'a spec in base64',
      revision: { ...ofVm, data: { apiVersion: 'instancetype.kubevirt.io/v1beta1', spec: 'e30=' } },
      format: own,
      want: false,
    },
    { reason: 'of the other family', revision: ofVm, format: own, family: 'preference', want: false },
    {
      reason: 'the short name of older releases',
      revision: { ...ofVm, metadata: { ...ofVm.metadata, name: 'web-small-u-3' } },
      format: own,
      want: true,
    },
    { reason: 'additional labels', revision: labelled(ofVm, { velero: 'x' }), format: own, want: true },
    {
      reason: 'shared, with an owner',
      revision: { ...ofAll, metadata: { ...ofAll.metadata, ownerReferences: ofVm.metadata.ownerReferences ?? [] } },
      format: shared,
      want: false,
    },
    { reason: 'no data', revision: { metadata: {}, revision: 0 }, format: own, want: false },
  ]
  for (const { reason, revision, format, family = 'instancetype', want } of rows) {
    test(`is ${want}: ${reason} (${format.version}, ${format.sharing})`, () => assert.equal(hasFormat(revision, family, format), want))
  }
})

test('revisionFormatOf() follows the feature gates', () => {
  assert.equal(revisionFormatOf({ featureGates: [] }).sharing, 'own')
  assert.equal(revisionFormatOf({ featureGates: ['SharedRevisions'] }).sharing, 'shared')
})

test('matchesRevisionName() accepts exactly the names that a capture of the object can have', () => {
  const is = (name: string, object = small): boolean => matchesRevisionName(name, holderOf(vm), object)
  const oldest = 'web-small-7c0e0000-0000-4000-8000-000000000000-3'
  for (const name of [nameOf(small, own), nameOf(small, shared), oldest]) {
    assert.ok(is(name), name)
    assert.ok(!is(name, { ...small, metadata: { ...small.metadata, generation: 4 }, spec: { ...small.spec, cpu: { guest: 5 } } }), name)
  }
  assert.ok(!is('mine'))
  assert.ok(!is(nameOf(small, own, other)), 'of another VM')
})
