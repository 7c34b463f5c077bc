import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RevisionFormat } from '#features/instancetype/index.ts'
import type { Finding, RevisionReport, RevisionInventory } from '../types.ts'
import { healthy, liveObject, reportedOn, revisionFor, vmNaming, with_ } from '../inventory.fixture.ts'

const web = healthy('web')
const [type, preference] = web.revisions as [ControllerRevision, ControllerRevision]
const live = [liveObject('instancetype', 0), liveObject('preference', 0)]
const restore = { metadata: { name: 'back', namespace: 'default' }, spec: {} } as VirtualMachineRestore
const lost = 'web-instancetype-0-v1beta1-00000000-0000-4000-8000-000000000099-1'
const legacyOfV1 = 'web-small-v1-00000000-0000-4000-8000-000000000099-1'

function namingType(revision: string, more: object = {}): RevisionInventory['virtualMachines'][number] {
  return { ...vmNaming('web', { instancetype: revision, preference: preference.metadata.name ?? '' }), ...more }
}

interface Case {
  readonly what: string
  readonly cluster: Partial<RevisionInventory>
  readonly format?: RevisionFormat
  /** `state of holds by: command`, shortened to what tells cases apart. */
  readonly expected: readonly string[]
}

const content = {
  metadata: { name: 'vmsnapshot-content-1', namespace: 'default', uid: 'c1' },
  spec: {
    virtualMachineSnapshotName: 'before',
    source: { virtualMachine: { spec: { instancetype: { name: 'x', revisionName: 'before-old' } } } },
  },
} as VirtualMachineSnapshotContent
const ofSnapshot = {
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshot',
  name: 'before',
  uid: 's1',
  controller: true,
}
const snapshot: KubeObject = { metadata: { name: 'before', namespace: 'default', uid: 's1' } }
const old = revisionFor(web.vm, 'instancetype', 'v1alpha2')
const oldName = old.metadata.name ?? ''

const shared = with_(type, { ownerReferences: [], labels: { ...type.metadata.labels, 'steadyvm.io/shared': 'true' } })

const bareSpec: ControllerRevision = {
  metadata: { name: 'web-small-1', namespace: 'default' },
  data: { apiVersion: '', spec: Buffer.from(JSON.stringify({ cpu: { guest: 1 }, memory: { guest: '1Gi' } })).toString('base64') },
  revision: 0,
}
const ofDaemonSet: ControllerRevision = {
  metadata: { name: 'agent-5d8', namespace: 'default' },
  data: { spec: { template: { spec: {} } } },
  revision: 1,
}

const cases: readonly Case[] = [
  { what: 'nothing at all', cluster: {}, expected: [] },
  { what: 'a VM with its two revisions', cluster: { virtualMachines: [web.vm], revisions: web.revisions }, expected: [] },
  {
    what: 'an old version that a VM names',
    cluster: { virtualMachines: [namingType(oldName)], revisions: [old, preference] },
    expected: [`outdated ${oldName} v1alpha2 vm/web controller kubectl wait`],
  },
  {
    what: 'an unreferenced old version',
    cluster: { virtualMachines: [web.vm], revisions: [...web.revisions, old] },
    expected: [`outdated ${oldName} v1alpha2  controller kubectl wait`],
  },
  {
    what: 'the newest version with a wrong label',
    cluster: {
      virtualMachines: [web.vm],
      revisions: [with_(type, { labels: { ...type.metadata.labels, 'instancetype.kubevirt.io/object-version': 'v1alpha1' } }), preference],
    },
    expected: [`outdated ${type.metadata.name} v1beta1 vm/web controller kubectl wait`],
  },
  {
    what: 'own revisions under the shared format',
    cluster: { virtualMachines: [web.vm], revisions: web.revisions },
    format: { version: 'v1beta1', sharing: 'shared' },
    expected: [
      `outdated ${type.metadata.name} v1beta1 vm/web controller kubectl wait`,
      `outdated ${preference.metadata.name} v1beta1 vm/web controller kubectl wait`,
    ],
  },
  {
    what: 'history of a VM under the shared format',
    cluster: { virtualMachines: [vmNaming('web', {})], revisions: web.revisions },
    format: { version: 'v1beta1', sharing: 'shared' },
    expected: [],
  },
  {
    what: 'an unreferenced spec of the oldest format without apiVersion, labels and owner',
    cluster: { revisions: [bareSpec] },
    expected: ['orphaned web-small-1 v1alpha1  user kubectl delete controllerrevision web-small-1 -n default'],
  },
  {
    what: 'revisions of other controllers',
    cluster: { revisions: [ofDaemonSet, with_(bareSpec, {}, { data: { spec: 'bm90IGpzb24=' } })] },
    expected: [],
  },
  {
    what: 'a shared revision that waits for its collection',
    cluster: { revisions: [shared] },
    expected: [],
  },
  {
    what: 'a shared revision of another version that waits for its collection',
    cluster: { revisions: [shared] },
    format: { version: 'v1', sharing: 'own' },
    expected: [`outdated ${type.metadata.name} v1beta1  controller kubectl wait`],
  },
  {
    what: 'an old version of a snapshot that its content does not reference',
    cluster: { snapshots: [snapshot], revisions: [with_(old, { ownerReferences: [ofSnapshot] })] },
    expected: [`outdated ${oldName} v1alpha2  user kubectl delete controllerrevision`],
  },
  {
    what: 'a missing one in the history of a VM',
    cluster: { virtualMachines: [remembering('gone')], revisions: web.revisions },
    expected: [],
  },
  {
    what: 'an undecodable one in the history of a VM',
    cluster: { virtualMachines: [remembering('odd')], revisions: [...web.revisions, with_(old, { name: 'odd' }, { data: {} })] },
    expected: ['undecodable odd ? vm/web user kubectl delete controllerrevision odd -n default'],
  },
  {
    what: 'one with a missing first owner and an existing second one',
    cluster: {
      virtualMachines: [web.vm],
      revisions: [with_(type, { ownerReferences: [ofSnapshot, { ...type.metadata.ownerReferences?.[0], controller: false }] }), preference],
    },
    expected: [],
  },
  {
    what: 'a revision of other content, referenced by a VM',
    cluster: { virtualMachines: [web.vm], revisions: [with_(type, {}, { data: { spec: '{' } }), preference] },
    expected: [`undecodable ${type.metadata.name} ? vm/web user steadyvm rollout refresh vm/web -n default`],
  },
  {
    what: 'an unreferenced unknown version',
    cluster: {
      virtualMachines: [web.vm],
      revisions: [...web.revisions, with_(old, { name: 'odd' }, { data: { ...old.data, apiVersion: 'instancetype.kubevirt.io/v9' } })],
    },
    expected: ['undecodable odd ?  user kubectl delete controllerrevision odd -n default'],
  },
  {
    what: 'a preference that is referenced as an instance type',
    cluster: { virtualMachines: [namingType(preference.metadata.name ?? '')], revisions: [preference] },
    expected: [`undecodable ${preference.metadata.name} v1beta1 vm/web,vm/web user steadyvm rollout refresh vm/web`],
  },
  {
    what: 'one without owner that a VM references',
    cluster: { virtualMachines: [web.vm], revisions: [with_(type, { ownerReferences: [] }), preference] },
    expected: [`orphaned ${type.metadata.name} v1beta1 vm/web controller kubectl wait`],
  },
  {
    what: 'one whose owner is missing',
    cluster: { revisions: [type] },
    expected: [`orphaned ${type.metadata.name} v1beta1  user kubectl delete controllerrevision`],
  },
  {
    what: 'one without owner during a restore',
    cluster: { virtualMachines: [web.vm], revisions: [with_(type, { ownerReferences: [] }), preference], restores: [restore] },
    expected: [],
  },
  {
    what: 'one that is being deleted, and those of other controllers',
    cluster: {
      revisions: [
        with_(type, { ownerReferences: [], deletionTimestamp: '2026-01-01T00:00:00Z' }),
        { metadata: { name: 'web-6f', namespace: 'default' }, data: { spec: { template: {} } }, revision: 1 },
      ],
    },
    expected: [],
  },
  {
    what: 'an old version that is being deleted and kept by a finalizer',
    cluster: { virtualMachines: [web.vm], revisions: [...web.revisions, held(old)] },
    expected: [`outdated ${oldName} v1alpha2  user kubectl wait controllerrevision/${oldName} -n default --for=delete`],
  },
  {
    what: 'an undecodable one that a VM references, being deleted and kept by a finalizer',
    cluster: { virtualMachines: [namingType('odd')], revisions: [preference, held(with_(old, { name: 'odd' }, { data: {} }))] },
    expected: ['undecodable odd ? vm/web user kubectl wait controllerrevision/odd -n default --for=delete'],
  },
  {
    what: 'a missing one without a version in its name, of a type whose name looks like it',
    cluster: { virtualMachines: [calling('small-v1', legacyOfV1)], revisions: [preference] },
    expected: [`missing ${legacyOfV1} ? vm/web user steadyvm rollout refresh vm/web -n default`],
  },
  {
    what: 'a missing one that can be captured again',
    cluster: { virtualMachines: [web.vm], revisions: [preference], live },
    expected: [`missing ${type.metadata.name} v1beta1 vm/web controller kubectl wait`],
  },
  {
    what: 'a lost one',
    cluster: { virtualMachines: [namingType(lost)], revisions: [preference], live },
    expected: [`missing ${lost} v1beta1 vm/web user steadyvm rollout refresh vm/web -n default`],
  },
  {
    what: 'a missing one that only the guest uses',
    cluster: {
      virtualMachines: [web.vm],
      revisions: [...web.revisions, startOf('gone')],
      guests: [
        {
          metadata: { name: 'web', namespace: 'default' },
          status: { virtualMachineRevisionName: 'revision-start-vm-uid-of-web-1' },
        } as never,
      ],
    },
    expected: ['missing gone ? vmi/web user virtctl restart web -n default'],
  },
  {
    what: 'one of a deleted guest',
    cluster: { virtualMachines: [web.vm], revisions: [...web.revisions, startOf('gone')] },
    expected: [],
  },
  {
    what: 'an old one of a snapshot',
    cluster: { contents: [content], snapshots: [snapshot], revisions: [with_(old, { name: 'before-old', ownerReferences: [ofSnapshot] })] },
    expected: ['outdated before-old v1alpha2 vmsnapshot/before controller kubectl wait'],
  },
  {
    what: 'a missing one of a snapshot',
    cluster: { contents: [content], snapshots: [snapshot] },
    expected: ['missing before-old ? vmsnapshot/before user kubectl delete vmsnapshot/before -n default'],
  },
  {
    what: 'a missing one of a retained snapshot content',
    cluster: { contents: [content] },
    expected: ['missing before-old ? vmsnapshotcontent/vmsnapshot-content-1 user kubectl delete vmsnapshotcontent/vmsnapshot-content-1'],
  },
  {
    what: 'one without owner after a failed restore',
    cluster: {
      virtualMachines: [web.vm],
      revisions: [with_(type, { ownerReferences: [] }), preference],
      restores: [{ ...restore, status: { conditions: [{ type: 'Failure', status: 'True' }] } }],
    },
    expected: [`orphaned ${type.metadata.name} v1beta1 vm/web controller kubectl wait`],
  },
  {
    what: 'a renamed revision',
    cluster: {
      virtualMachines: [
        {
          ...namingType('given-up'),
          status: { ...namingType('given-up').status, steadyvm: { replaced: { 'given-up': type.metadata.name ?? '' } } },
        },
      ],
      revisions: web.revisions,
    },
    expected: [],
  },
]

function held(revision: ControllerRevision): ControllerRevision {
  return with_(revision, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] })
}

function calling(object: string, revision: string): RevisionInventory['virtualMachines'][number] {
  const vm = namingType(revision)
  return { ...vm, status: { ...vm.status, instancetypeRef: { ...vm.status?.instancetypeRef, name: object } } }
}

function remembering(revision: string): RevisionInventory['virtualMachines'][number] {
  return { ...web.vm, status: { ...web.vm.status, steadyvm: { instancetype: { history: [type.metadata.name ?? '', revision] } } } }
}

function startOf(revisionName: string): ControllerRevision {
  return with_(
    type,
    { name: 'revision-start-vm-uid-of-web-1', labels: {} },
    { data: { spec: { instancetype: { name: 'x', revisionName } } } },
  )
}

function textOf({ state, revision, version = '?', referrers, settledBy, command }: Finding): string {
  return `${state} ${revision} ${version} ${referrers.map(({ subject }) => subject).join()} ${settledBy} ${command}`
}

suite('reportOn()', () => {
  for (const { what, cluster, format, expected } of cases) {
    test(`reports exactly the faults of ${what}`, () => {
      const { findings } = reportedOn(cluster, format)
      assert.equal(findings.length, expected.length, JSON.stringify(findings, null, 1))
      findings.forEach((finding, index) => assert.ok(textOf(finding).startsWith(expected[index] ?? 'none'), textOf(finding)))
    })
  }

  test('reports the differences of revisions from their originals, and their age', () => {
    const aged = [
      with_(type, { creationTimestamp: '2024-01-01T00:00:00Z' }),
      with_(preference, { creationTimestamp: '2025-12-20T00:00:00Z' }),
    ]
    const newer = { ...live[0], metadata: { ...live[0]?.metadata, generation: 2 } } as KubeObject
    const { drift, ages, versions } = reportedOn({ virtualMachines: [web.vm], revisions: aged, live: [newer] })
    assert.deepEqual(drift, { same: 0, newerGeneration: 1, replaced: 0, deleted: 1, unknown: 0 })
    assert.deepEqual(ages, { underOneDay: 0, underThirtyDays: 1, underOneYear: 0, older: 1 })
    assert.equal(versions.at(-1)?.oldest, '2024-01-01T00:00:00Z')
  })
})

function verdictOn(report: RevisionReport, version: string): string {
  const found = report.versions.find((one) => one.version === version)
  return `${found?.safeToRemove} ${found?.blockers.map(({ reason }) => reason).join()}`
}

suite('the verdict on a version', () => {
  const crd = {
    metadata: { name: 'virtualmachinepreferences.instancetype.kubevirt.io' },
    spec: { versions: [{ name: 'v1beta1', served: true, storage: true }] },
    status: { storedVersions: ['v1alpha2', 'v1beta1'] },
  }
  const rows: readonly (readonly [string, Partial<RevisionInventory>, string])[] = [
    ['nothing needs it', { virtualMachines: [web.vm], revisions: web.revisions }, 'yes '],
    ['some objects could not be read', { gaps: ['the rest'] }, 'unknown '],
    ['a revision has it', { virtualMachines: [namingType(oldName)], revisions: [old] }, 'no Copy'],
    ['a revision that is being deleted has it', { virtualMachines: [web.vm], revisions: [...web.revisions, held(old)] }, 'no Copy'],
    ['a missing revision has a name that only looks like v1', { virtualMachines: [calling('small-v1', legacyOfV1)] }, 'no MissingCopy'],
    ['objects are stored in it', { definitions: [crd as never] }, 'no StoredObjects'],
    ['a revision may have it', { revisions: [with_(type, {}, { data: {} })] }, 'no UnreadableCopy'],
    ['a missing revision may be recreated', { virtualMachines: [vmNaming('web', { instancetype: 'gone' })] }, 'no MissingCopy'],
    ['the missing revision had another version', { virtualMachines: [vmNaming('web', { instancetype: lost })] }, 'yes '],
  ]
  for (const [what, cluster, expected] of rows)
    test(`is correct when ${what}`, () => assert.equal(verdictOn(reportedOn(cluster), 'v1alpha2'), expected))

  test('keeps v1alpha1 while an unreferenced revision of the oldest format is stored', () => {
    assert.equal(verdictOn(reportedOn({ revisions: [bareSpec] }), 'v1alpha1'), 'no Copy')
  })

  test('never calls the storage version of new objects safe to remove', () => {
    const report = reportedOn({ definitions: [crd as never] }, { version: 'v1', sharing: 'own' })
    assert.equal(verdictOn(report, 'v1beta1'), 'no StorageVersion')
  })

  test('never calls the latest version safe to remove', () => assert.equal(verdictOn(reportedOn({}), 'v1beta1'), 'no Latest'))
})
