import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FieldChange, Plan, PlannedVm } from '#features/plan/index.ts'
import { renderPlan } from './plan.ts'

const type = { kind: 'VirtualMachineClusterInstancetype', name: 'large', generation: 2 }
const memory: FieldChange = {
  path: 'spec.domain.memory.guest',
  old: '1Gi',
  new: '2Gi',
  effect: 'restart',
  source: 'instancetype',
  object: type,
}
const named: FieldChange = { ...memory, path: 'metadata.annotations[kubevirt.io/cluster-instancetype-name]', effect: 'live' }

function vm(name: string, rest: Partial<PlannedVm>): PlannedVm {
  return { namespace: 'a', name, effect: 'unchanged', running: true, fields: [], notes: [], ...rest }
}

function textOf(vms: readonly PlannedVm[], isWide = false): string {
  const summary = { blocked: 0, conflict: 0, restart: 0, live: 0, unchanged: 0 }
  for (const { effect } of vms) summary[effect] += 1
  const plan: Plan = { changes: [{ object: type, action: 'edit' }], refusals: [], virtualMachines: vms, summary, unconcerned: 7 }
  return renderPlan(plan, { isWide, paint: (_, text) => text })
}

suite('renderPlan()', () => {
  const alike = ['web', 'db', 'mail', 'dns', 'ftp'].map((name) => vm(name, { effect: 'restart', fields: [named, memory] }))

  test('groups VMs with the same change, without machine-readable fields', () => {
    const text = textOf(alike)
    assert.equal(text.match(/2Gi/g)?.length, 1)
    assert.match(text, /a\/web, a\/db, a\/mail and 2 more {2}needs a restart/)
    assert.doesNotMatch(text, /annotations/)
    assert.match(text, /5 VMs: 5 to restart \(7 more are not concerned\)/)
  })
  test('lists the first hardware changes, and all of them with -o wide', () => {
    const hardware = Array.from({ length: 9 }, (_, slot) => ({ name: `device d${slot}: addr`, before: '0x1', after: '0x2' }))
    const changed = [vm('web', { effect: 'restart', fields: [memory], hardware })]
    assert.match(textOf(changed), /after its next start the guest sees\n +device d0: addr: 0x1 → 0x2\n(.*\n){5} +and 3 more/)
    assert.match(textOf(changed, true), /device d8: addr/)
  })
  test('lists every VM and every field with -o wide', () => {
    const text = textOf(alike, true)
    assert.equal(text.match(/2Gi/g)?.length, 10)
  })
  test('states when a halted VM takes the change, and why others do not', () => {
    assert.match(textOf([vm('web', { effect: 'live', running: false, fields: [memory] })]), /at its next start/)
    assert.match(textOf([vm('web', { effect: 'conflict', reason: 'both say so' })]), /conflict: both say so/)
  })
  test('states that no VM is affected', () => assert.match(textOf([]), /None of 7 VMs is concerned/))
})
