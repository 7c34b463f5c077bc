import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { guest, launcher } from '#features/eviction/vmi.fixture.ts'
import { buildBudget } from './budget.ts'
import { decide, type Observed } from './decide.ts'

const none = { evictionStrategy: 'None' } as const

suite('a guest that an eviction', () => {
  const protectedOnes: readonly VirtualMachineInstance[] = [
    guest('LiveMigrate', true),
    guest('LiveMigrate', false),
    guest('LiveMigrateIfPossible', true),
    guest('External', false),
  ]
  for (const vmi of protectedOnes) {
    test(`must not stop has a PodDisruptionBudget: ${vmi.spec.evictionStrategy}, ${vmi.status?.conditions?.[0]?.status}`, () => {
      assert.deepEqual(decide({ vmi, pods: [launcher()], isMigrating: false, budget: undefined, others: [] }, none), {
        kind: 'create',
        minAvailable: 1,
      })
      assert.deepEqual(decide({ vmi, pods: [launcher()], isMigrating: false, budget: buildBudget(vmi, 1), others: [] }, none), {
        kind: 'none',
      })
    })
  }
  for (const vmi of [guest('None', true), guest(undefined, true), guest('LiveMigrateIfPossible', false)]) {
    test(`may stop has no PodDisruptionBudget: ${vmi.spec.evictionStrategy}`, () => {
      const budget = buildBudget(vmi, 1)
      assert.deepEqual(decide({ vmi, pods: [launcher()], isMigrating: false, budget: undefined, others: [] }, none), { kind: 'none' })
      assert.deepEqual(decide({ vmi, pods: [launcher()], isMigrating: false, budget, others: [] }, none), { kind: 'delete', budget })
    })
  }
})

suite('a budget', () => {
  const vmi = guest('LiveMigrate', true)
  const other = launcher({ metadata: { name: 'virt-launcher-web-fghij' }, nodeName: 'n2', phase: 'Pending' })
  const started = { startTimestamp: '2026-11-21T10:00:00Z' }
  const rows: readonly (readonly [string, Partial<Observed>, number])[] = [
    ['is 1 for a guest without a migration', {}, 1],
    ['is 2 from the creation of the migration on', { isMigrating: true }, 2],
    ['is 2 from the target pod on', { pods: [launcher(), other] }, 2],
    ['is 2 during the migration', { vmi: guest('LiveMigrate', true, { migrationState: started }) }, 2],
    [
      'is 1 after the migration',
      { vmi: guest('LiveMigrate', true, { migrationState: { ...started, endTimestamp: '2026-11-21T10:01:00Z' } }) },
      1,
    ],
    ['does not count a pod that has ended', { pods: [launcher(), launcher({ phase: 'Failed' })] }, 1],
    ['does not count a pod that is being deleted', { pods: [launcher(), launcher({ metadata: { deletionTimestamp: 'now' } })] }, 1],
  ]
  for (const [name, changes, minAvailable] of rows) {
    test(name, () => {
      const observed = { vmi, pods: [launcher()], isMigrating: false, budget: undefined, others: [], ...changes }
      assert.deepEqual(decide(observed, none), { kind: 'create', minAvailable })
      const budget = buildBudget(vmi, 3 - minAvailable)
      assert.deepEqual(decide({ ...observed, budget }, none), { kind: 'resize', budget, minAvailable })
    })
  }

  test('is the only one: others are deleted once it exists, or none is needed', () => {
    const old = { ...buildBudget(vmi, 1), metadata: { name: 'kubevirt-disruption-budget-x7k2p' } }
    const observed = { vmi, pods: [launcher()], isMigrating: false, budget: undefined, others: [old] }
    assert.deepEqual(decide(observed, none), { kind: 'create', minAvailable: 1 })
    assert.deepEqual(decide({ ...observed, budget: buildBudget(vmi, 1) }, none), { kind: 'delete', budget: old })
    assert.deepEqual(decide({ ...observed, vmi: guest('None', true) }, none), { kind: 'delete', budget: old })
  })

  test('is deleted with the guest', () => {
    const budget = buildBudget(vmi, 1)
    for (const phase of ['Succeeded', 'Failed'] as const) {
      assert.deepEqual(decide({ vmi: guest('LiveMigrate', true, { phase }), pods: [], isMigrating: false, budget, others: [] }, none), {
        kind: 'delete',
        budget,
      })
    }
    const going = { ...vmi, metadata: { ...vmi.metadata, deletionTimestamp: 'now' } }
    assert.deepEqual(decide({ vmi: going, pods: [launcher()], isMigrating: false, budget: undefined, others: [] }, none), { kind: 'none' })
  })
})
