import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceCondition, VirtualMachineInstancePhase } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Action } from '../decide.ts'
import { printableStatusOf, type StatusInput } from './printable-status.ts'
import { vmiWith, vmWith } from '../vm.fixture.ts'

const none: Action = { kind: 'none' }
const always = vmWith({ runStrategy: 'Always' })

function vmi(phase: VirtualMachineInstancePhase, conditions: VirtualMachineInstanceCondition[] = [], deleting = false): StatusInput['vmi'] {
  return vmiWith({ phase, conditions }, deleting)
}

function waiting(phase: VirtualMachineInstancePhase, reason: string): StatusInput['vmi'] {
  return vmiWith({ phase, volumeStatus: [{ name: 'data', target: '', phase: 'Pending', reason }] })
}

const stop: Action = { kind: 'stop', vmi: vmiWith({ phase: 'Running' }) }
const rows: readonly (readonly [string, Partial<StatusInput>])[] = [
  ['Terminating', { vm: vmWith({ runStrategy: 'Always' }, undefined, true), vmi: vmi('Running') }],
  ['Stopping', { vmi: vmi('Running', [], true) }],
  ['Stopping', { vmi: vmi('Running'), action: stop }],
  ['Stopped', { vmi: vmi('Succeeded'), action: stop }],
  ['Migrating', { vmi: vmiWith({ phase: 'Running', migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } }) }],
  ['Running', { vmi: vmiWith({ phase: 'Running', migrationState: { startTimestamp: 'x', endTimestamp: 'y' } }) }],
  ['Paused', { vmi: vmi('Running', [{ type: 'Paused', status: 'True' }]) }],
  ['Running', { vmi: vmi('Running') }],
  ['ErrorPvcNotFound', { vmi: vmi('Pending', [{ type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound' }]) }],
  ['DataVolumeError', { vmi: waiting('Pending', 'Failed') }],
  ['Provisioning', { vmi: waiting('Pending', 'ImportInProgress') }],
  ['WaitingForVolumeBinding', { vmi: waiting('Scheduling', 'WaitForFirstConsumer') }],
  ['WaitingForVolumeBinding', { vmi: waiting('Scheduling', 'PVCNotReady') }],
  ['Running', { vmi: waiting('Running', 'PVCNotReady') }],
  ['ErrorUnschedulable', { vmi: vmi('Scheduling', [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]) }],
  ['ErrImagePull', { vmi: vmi('Scheduling', [{ type: 'Synchronized', status: 'False', reason: 'ErrImagePull' }]) }],
  ['ImagePullBackOff', { vmi: vmi('Scheduling', [{ type: 'Synchronized', status: 'False', reason: 'ImagePullBackOff' }]) }],
  ['Starting', { vmi: vmi('Pending') }],
  ['Starting', { vmi: vmi('Scheduled') }],
  ['Starting', { action: { kind: 'start', paused: false } }],
  ['Stopped', { action: { kind: 'start', paused: false }, failing: true }],
  [
    'CrashLoopBackOff',
    { vm: vmWith({ runStrategy: 'Always' }, { startFailure: { consecutiveFailCount: 1 } }), action: { kind: 'wait', ms: 1 } },
  ],
  ['Stopped', { vm: vmWith({ runStrategy: 'Halted' }) }],
  ['Unknown', { vmi: vmi('Unknown') }],
]

suite('printableStatusOf()', () => {
  for (const [expected, input] of rows) {
    test(`returns ${expected} for ${input.vmi?.status?.phase ?? 'no guest'} and ${input.action?.kind ?? 'none'}`, () => {
      assert.equal(printableStatusOf({ vm: always, vmi: undefined, action: none, failing: false, ...input }), expected)
    })
  }
})
