import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import { isActiveLauncher, reviewEviction, evacuationPatch } from './admission.ts'
import { guest, launcher } from './vmi.fixture.ts'

const marked = { kind: 'mark', nodeName: 'n1', why: 'Eviction triggered evacuation of VMI "ns/web"' } as const
const stuck = { kind: 'refuse', why: 'VMI web is configured with an eviction strategy but is not live-migratable' } as const

suite('reviewEviction()', () => {
  const none = { evictionStrategy: 'None' } as const
  const rows: readonly (readonly [string, VirtualMachineInstance, object])[] = [
    ['stops a guest of strategy None', guest('None', true), { kind: 'allow' }],
    ["uses the cluster's strategy without one in the VMI", guest(undefined, true), { kind: 'allow' }],
    ['migrates a LiveMigrate guest that is migratable', guest('LiveMigrate', true), marked],
    ['refuses for a LiveMigrate guest that is not migratable', guest('LiveMigrate', false), stuck],
    ['refuses for a guest with unknown migratability', guest('LiveMigrate', true, { conditions: [] }), stuck],
    ['migrates a LiveMigrateIfPossible guest that is migratable', guest('LiveMigrateIfPossible', true), marked],
    ['stops a LiveMigrateIfPossible guest that is not migratable', guest('LiveMigrateIfPossible', false), { kind: 'allow' }],
    ['leaves a guest with strategy External to others', guest('External', false), marked],
    ['refuses for a guest with an unknown strategy', guest('Perhaps', true), stuck],
    [
      'reports that the guest is already being evacuated',
      guest('LiveMigrate', true, { evacuationNodeName: 'n1' }),
      { kind: 'refuse', why: `Evacuation in progress: ${marked.why}` },
    ],
    [
      'refuses for the target pod of a migration',
      guest('LiveMigrate', true, { nodeName: 'n2' }),
      { kind: 'refuse', why: 'Eviction request for target Pod' },
    ],
  ]
  for (const [name, vmi, wanted] of rows) test(name, () => assert.deepEqual(reviewEviction(launcher(), vmi, none), wanted))

  test('refuses for a pod of an earlier VMI of the same name', () => {
    const { metadata, ...rest } = guest('None', true)
    const later = { metadata: { ...metadata, uid: 'u2' }, ...rest }
    assert.equal(reviewEviction(launcher(), later, none).kind, 'refuse')
  })

  test("uses the cluster's strategy only when the VMI has none", () => {
    const moving = { evictionStrategy: 'LiveMigrate' } as const
    assert.equal(reviewEviction(launcher(), guest(undefined, true), moving).kind, 'mark')
    assert.equal(reviewEviction(launcher(), guest('None', true), moving).kind, 'allow')
  })
})

test('isActiveLauncher() is false for other pods, and for launchers that have ended', () => {
  assert.equal(isActiveLauncher(launcher()), true)
  assert.equal(isActiveLauncher(launcher({ phase: 'Pending' })), true)
  for (const phase of ['Succeeded', 'Failed']) assert.equal(isActiveLauncher(launcher({ phase })), false)
  assert.equal(isActiveLauncher(launcher({ metadata: { labels: { app: 'web' } } })), false)
  assert.equal(isActiveLauncher(launcher({ metadata: { annotations: {} } })), false)
})

suite('evacuationPatch()', () => {
  const quiet = { isByDescheduler: false, isNodeCordoned: false }

  test('sets the node and the reason', () => {
    const vmi = guest('LiveMigrate', true)
    const plain = applyJsonPatch(vmi, evacuationPatch(vmi, 'n1', quiet)) as VirtualMachineInstance
    assert.equal(plain.status?.evacuationNodeName, 'n1')
    assert.equal(plain.metadata.annotations, undefined)
    const both = applyJsonPatch(vmi, evacuationPatch(vmi, 'n1', { isByDescheduler: true, isNodeCordoned: true })) as VirtualMachineInstance
    assert.deepEqual(both.metadata.annotations, {
      'kubevirt.io/eviction-source': 'descheduler',
      'steadyvm.io/evacuated-from-cordoned': 'n1',
    })
  })

  test('keeps other annotations', () => {
    const vmi = { ...guest('LiveMigrate', true), metadata: { name: 'web', uid: 'u1', annotations: { a: 'b' } } }
    const after = applyJsonPatch(vmi, evacuationPatch(vmi, 'n1', { ...quiet, isNodeCordoned: true })) as VirtualMachineInstance
    assert.equal(after.metadata.annotations?.['a'], 'b')
  })

  test('removes annotations of an earlier eviction', () => {
    const annotations = { 'steadyvm.io/evacuated-from-cordoned': 'n1', 'kubevirt.io/eviction-source': 'descheduler', a: 'b' }
    const vmi = { ...guest('LiveMigrate', true), metadata: { name: 'web', uid: 'u1', annotations } }
    const after = applyJsonPatch(vmi, evacuationPatch(vmi, 'n1', quiet)) as VirtualMachineInstance
    assert.deepEqual(after.metadata.annotations, { a: 'b' })
  })

  test('fails when the guest has moved, or is another VMI', () => {
    const vmi = guest('LiveMigrate', true)
    const operations = evacuationPatch(vmi, 'n1', quiet)
    assert.throws(() => applyJsonPatch(guest('LiveMigrate', true, { nodeName: 'n2' }), operations))
    assert.throws(() => applyJsonPatch({ ...vmi, metadata: { ...vmi.metadata, uid: 'u2' } }, operations))
  })
})
