import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { RevisionReport, RevisionInventory } from './types.ts'
import { healthy, reportedOn, revisionFor, vmNaming, with_ } from './inventory.fixture.ts'

/** Something wrong: the objects that make it so, and what the report calls it. */
interface Fault {
  readonly state: string
  readonly revision: string
  readonly revisions: readonly ControllerRevision[]
  readonly virtualMachines: readonly VirtualMachine[]
}

const vms = 10_000
const whole = Array.from({ length: vms }, (_, index) => healthy(`vm-${index}`, `team-${index % 40}`, index % 8))
const alpha = 'v1alpha2'

/** Ten faults of all kinds, each of which may need the old version. */
const faults: readonly Fault[] = [
  outdated('first'),
  outdated('second'),
  outdated('third'),
  orphaned('fourth', []),
  orphaned('fifth', [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'fifth', uid: 'no-more', controller: true }]),
  malformed('sixth', { apiVersion: 'instancetype.kubevirt.io/v0', kind: 'VirtualMachineInstancetype', spec: {} }),
  malformed('seventh', { spec: 'bm90IGpzb24=' }),
  malformed('eighth', {}),
  missing('ninth'),
  missing('tenth'),
]

function outdated(name: string): Fault {
  const revision = revisionFor(vmNaming(name, {}), 'instancetype', alpha)
  return {
    state: 'outdated',
    revision: revision.metadata.name ?? '',
    revisions: [revision],
    virtualMachines: [vmNaming(name, { instancetype: revision.metadata.name ?? '' })],
  }
}

function orphaned(name: string, ownerReferences: readonly object[]): Fault {
  const revision = with_(revisionFor(vmNaming(name, {}), 'preference', alpha), { ownerReferences })
  return { state: 'orphaned', revision: revision.metadata.name ?? '', revisions: [revision], virtualMachines: [] }
}

function malformed(name: string, data: Record<string, unknown>): Fault {
  const revision = with_(revisionFor(vmNaming(name, {}), 'instancetype', alpha), {}, { data })
  return { ...outdated(name), state: 'undecodable', revisions: [revision] }
}

function missing(name: string): Fault {
  return { ...outdated(name), state: 'missing', revisions: [] }
}

/** The healthy ones, with the faults somewhere between them. */
function worldWith(present: readonly Fault[], among = whole): Partial<RevisionInventory> {
  const revisions = among.flatMap((one) => one.revisions)
  const virtualMachines = among.map(({ vm }) => vm)
  present.forEach((fault, index) => {
    revisions.splice(index * 1_777, 0, ...fault.revisions)
    virtualMachines.splice(index * 777, 0, ...fault.virtualMachines)
  })
  return { revisions, virtualMachines }
}

function isSafe(report: RevisionReport): string | undefined {
  return report.versions.find(({ version }) => version === alpha)?.safeToRemove
}

test('exactly ten faults among 20,000 revisions are found', () => {
  const { findings, revisions } = reportedOn(worldWith(faults))
  assert.equal(revisions, 2 * vms + faults.length - 2)
  const expected = faults.map(({ state, revision }) => `default/${revision} ${state}`)
  assert.deepEqual(
    findings.map(({ namespace, revision, state }) => `${namespace}/${revision} ${state}`),
    expected.toSorted(),
  )
})

test('an old version is safe to remove when the last of ten faults is fixed, in any order', () => {
  const few = whole.slice(0, 500)
  for (const last of faults) {
    const report = reportedOn(worldWith([last], few))
    assert.equal(isSafe(report), 'no', last.revision)
    assert.equal(report.findings.length, 1)
  }
  assert.equal(isSafe(reportedOn(worldWith(faults))), 'no')
  assert.equal(isSafe(reportedOn(worldWith([]))), 'yes')
})
