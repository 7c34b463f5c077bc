import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { referencesOf } from './references.ts'

const metadata = { name: 'web', namespace: 'shop', uid: 'u1' }
const named = { instancetype: { name: 'small', revisionName: 'r1' }, preference: { name: 'linux', revisionName: 'r2' } }
const refs = { instancetypeRef: { controllerRevisionRef: { name: 'r3' } }, preferenceRef: { controllerRevisionRef: { name: 'r4' } } }
const replaced = { steadyvm: { replaced: { r1: 'r9', r3: 'r9' } } }

const cases: readonly { what: string; object: KubeObject; vm?: KubeObject; expected: readonly string[] }[] = [
  {
    what: 'a VM that names revisions in its spec and status',
    object: { kind: 'VirtualMachine', metadata, spec: named, status: refs } as KubeObject,
    expected: [
      'instancetype r1 /spec/instancetype/revisionName',
      'instancetype r3 /status/instancetypeRef/controllerRevisionRef/name',
      'preference r2 /spec/preference/revisionName',
      'preference r4 /status/preferenceRef/controllerRevisionRef/name',
    ],
  },
  {
    what: 'a VM with renamed revisions',
    object: {
      kind: 'VirtualMachine',
      metadata,
      spec: { instancetype: named.instancetype },
      status: { ...refs, ...replaced },
    } as KubeObject,
    expected: [
      'instancetype r1=r9 /spec/instancetype/revisionName',
      'instancetype r3=r9 /status/instancetypeRef/controllerRevisionRef/name',
      'preference r4 /status/preferenceRef/controllerRevisionRef/name',
    ],
  },
  {
    what: 'a VM with shared revisions in its history',
    object: {
      kind: 'VirtualMachine',
      metadata,
      status: { steadyvm: { preference: { history: ['r6', 'r5'] }, replaced: { r5: 'r7' } } },
    } as KubeObject,
    expected: ['preference r6 /status/steadyvm/preference/history/0', 'preference r5=r7 /status/steadyvm/preference/history/1'],
  },
  {
    what: 'a VM whose names are empty or null',
    object: {
      kind: 'VirtualMachine',
      metadata,
      spec: { instancetype: { revisionName: '' } },
      status: { preferenceRef: null },
    } as KubeObject,
    expected: [],
  },
  {
    what: 'a start revision',
    object: { kind: 'ControllerRevision', metadata: { ...metadata, name: 'revision-start-vm-u1-3' }, data: { spec: named } } as KubeObject,
    vm: { kind: 'VirtualMachine', metadata, status: replaced } as KubeObject,
    expected: ['instancetype r1=r9 /data/spec/instancetype/revisionName', 'preference r2 /data/spec/preference/revisionName'],
  },
  {
    what: 'a captured instance type with any content',
    object: { kind: 'ControllerRevision', metadata: { ...metadata, name: 'web-small-u-1' }, data: { spec: named } } as KubeObject,
    expected: [],
  },
  {
    what: 'the content of a snapshot',
    object: { kind: 'VirtualMachineSnapshotContent', metadata, spec: { source: { virtualMachine: { spec: named } } } } as KubeObject,
    expected: [
      'instancetype r1 /spec/source/virtualMachine/spec/instancetype/revisionName',
      'preference r2 /spec/source/virtualMachine/spec/preference/revisionName',
    ],
  },
  { what: 'another kind', object: { kind: 'Pod', metadata, spec: named } as KubeObject, expected: [] },
]

suite('referencesOf()', () => {
  for (const { what, object, vm, expected } of cases) {
    test(`finds the references of ${what}`, () => {
      const found = referencesOf(object, vm)
      const texts = found.map(({ family, revision, written, path }) => {
        return `${family} ${written}${revision === written ? '' : `=${revision}`} ${path}`
      })
      assert.deepEqual(texts, expected)
      for (const { namespace, referrer } of found) {
        assert.equal(namespace, 'shop')
        assert.deepEqual(referrer, { kind: object.kind, name: object.metadata?.name, uid: 'u1' })
      }
    })
  }
})
