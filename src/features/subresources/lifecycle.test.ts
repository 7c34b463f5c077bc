import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { decideRestart, decideStart, decideStop, type Change, type ObservedVm } from './lifecycle.ts'

type Strategy = NonNullable<VirtualMachine['spec']['runStrategy']>

function machine(runStrategy: Strategy, phase?: string, status: VirtualMachineStatus = {}): ObservedVm {
  const template = { spec: { domain: { devices: {} } } }
  const vm: VirtualMachine = { metadata: { name: 'web', namespace: 'ns' }, spec: { runStrategy, template }, status }
  const vmi = { metadata: { name: 'web', uid: 'u1' }, spec: { ...template.spec, terminationGracePeriodSeconds: 30 }, status: { phase } }
  return { vm, vmi: phase === undefined ? undefined : (vmi as VirtualMachineInstance) }
}

/** Returns the decision in one word per change, or the code of the refusal. */
function decided(decide: () => readonly Change[]): string | number {
  try {
    return decide().map(wordOf).join(' ')
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error))
    return error.code
  }
}

function wordOf(change: Change): string {
  if (change.kind === 'strategy') return change.run ? 'run' : 'halt'
  if (change.kind === 'grace') return `grace=${change.seconds}`
  return change.requests
    .map(({ action, uid, data }) => [action, uid, data?.['paused']].filter((part) => part !== undefined).join(':'))
    .join('+')
}

const pending: VirtualMachineStatus = { stateChangeRequests: [{ action: 'Start' }] }
const conditionOf = (type: string): VirtualMachineStatus => ({ conditions: [{ type, status: 'True' }] })

suite('decideStart()', () => {
  const rows: readonly (readonly [string, ObservedVm, object, string | number])[] = [
    ['a halted VM', machine('Halted'), {}, 'run'],
    ['a halted VM with the paused option', machine('Halted'), { paused: true }, 'Start:true run'],
    ['a halted VM whose guest has ended', machine('Halted', 'Succeeded'), {}, 'run'],
    ['a halted VM whose guest runs', machine('Halted', 'Running'), {}, 409],
    ['a VM with Manual', machine('Manual'), {}, 'Start'],
    ['one whose guest has ended', machine('Manual', 'Failed'), {}, 'Stop:u1+Start'],
    ['one whose guest is in an unknown phase', machine('Manual', 'Unknown'), { paused: true }, 'Start:true'],
    ['one whose guest starts', machine('Manual', 'Scheduling'), {}, 409],
    ['one with a start request', machine('Manual', undefined, pending), {}, 409],
    ['a VM with RerunOnFailure', machine('RerunOnFailure'), {}, 'Start'],
    ['a VM with RerunOnFailure whose guest has ended', machine('RerunOnFailure', 'Succeeded'), {}, 'Stop:u1+Start'],
    ['a VM with RerunOnFailure whose guest has failed', machine('RerunOnFailure', 'Failed'), {}, 409],
    ['a VM that always runs', machine('Always'), {}, 409],
    ['a VM that runs once', machine('Once'), {}, 409],
    ['a VM that must be recovered', machine('Halted', undefined, conditionOf('ManualRecoveryRequired')), {}, 409],
  ]
  for (const [name, given, options, wanted] of rows) {
    test(`answers ${wanted} for ${name}`, () =>
      assert.equal(
        decided(() => decideStart(given, options)),
        wanted,
      ))
  }
})

suite('decideStop()', () => {
  const rows: readonly (readonly [string, ObservedVm, object, string | number])[] = [
    ['a VM that always runs', machine('Always', 'Running'), {}, 'halt'],
    ['a VM that always runs, with a grace period', machine('Always', 'Running'), { gracePeriod: 5 }, 'grace=5 halt'],
    ['a VM that always runs and has no guest', machine('Always'), { gracePeriod: 5 }, 'halt'],
    ['a VM that runs once', machine('Once', 'Running'), {}, 'halt'],
    ['a running VM with Manual', machine('Manual', 'Running'), {}, 'Stop:u1'],
    ['one with a request for another guest', machine('Manual', 'Running', pending), {}, 'Stop:u1'],
    ['one without guest', machine('Manual'), {}, 409],
    ['one whose guest has ended', machine('RerunOnFailure', 'Succeeded'), {}, 409],
    ['a halted VM', machine('Halted'), { gracePeriod: 0 }, 409],
    ['a halted VM whose guest runs', machine('Halted', 'Running'), {}, 409],
    ['a halted VM with a longer grace period', machine('Halted', 'Running'), { gracePeriod: 30 }, 409],
    ['a halted VM with a grace period of 0', machine('Halted', 'Running'), { gracePeriod: 0 }, 'grace=0 Stop:u1'],
  ]
  for (const [name, given, options, wanted] of rows) {
    test(`answers ${wanted} for ${name}`, () =>
      assert.equal(
        decided(() => decideStop(given, options)),
        wanted,
      ))
  }
})

suite('decideRestart()', () => {
  const rows: readonly (readonly [string, ObservedVm, object, string | number])[] = [
    ['a VM that runs', machine('Always', 'Running'), {}, 'Stop:u1+Start'],
    ['a VM with a grace period of 0', machine('Manual', 'Running'), { gracePeriodSeconds: 0 }, 'grace=1 Stop:u1+Start'],
    ['a VM whose guest has ended', machine('Manual', 'Failed'), {}, 'Stop:u1+Start'],
    ['a VM without guest', machine('Always'), {}, 409],
    ['a halted VM', machine('Halted', 'Running'), {}, 409],
    ['a VM that runs once', machine('Once', 'Running'), {}, 409],
    ['a VM with a restart request', machine('Always', 'Running', pending), {}, 409],
    ['a VM whose volumes change', machine('Always', 'Running', conditionOf('VolumesChange')), {}, 409],
  ]
  for (const [name, given, options, wanted] of rows) {
    test(`answers ${wanted} for ${name}`, () =>
      assert.equal(
        decided(() => decideRestart(given, options)),
        wanted,
      ))
  }
})
