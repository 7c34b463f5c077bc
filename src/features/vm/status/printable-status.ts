import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { storageWait, type StorageWait } from '#features/vmi/index.ts'
import type { Action } from '../decide.ts'
import { runStrategyOf } from '../spec/run-strategy.ts'

/** Values of the STATUS column of `kubectl get vm`. KubeVirt's words. */
export type PrintableStatus =
  | 'Terminating'
  | 'Stopping'
  | 'Migrating'
  | 'Paused'
  | 'Running'
  | 'ErrorPvcNotFound'
  | 'DataVolumeError'
  | 'ErrorUnschedulable'
  | 'Provisioning'
  | 'WaitingForVolumeBinding'
  | 'ErrImagePull'
  | 'ImagePullBackOff'
  | 'Starting'
  | 'CrashLoopBackOff'
  | 'Stopped'
  | 'Unknown'

/**
 * Facts that the status is computed from. `failing` keeps a VM that cannot start from showing
 * Starting.
 */
export interface StatusInput {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
  readonly action: Action
  readonly failing: boolean
}

type Rule = readonly [PrintableStatus, (input: StatusInput) => boolean]

/** The first match wins. */
const rules: readonly Rule[] = [
  ['Terminating', ({ vm }) => isBeingDeleted(vm)],
  ['Stopping', isStopping],
  ['Migrating', ({ vmi }) => vmi?.status?.migrationState?.startTimestamp != null && vmi.status.migrationState.endTimestamp == null],
  ['Paused', ({ vmi }) => vmi?.status?.phase === 'Running' && isTrue(vmi.status.conditions, 'Paused')],
  ['Running', ({ vmi }) => vmi?.status?.phase === 'Running'],
  ['ErrorPvcNotFound', ({ vmi }) => synchronizationFailure(vmi) === 'FailedPvcNotFound'],
  ['DataVolumeError', ({ vmi }) => waitOf(vmi) === 'failed'],
  ['ErrorUnschedulable', isUnschedulable],
  ['Provisioning', ({ vmi }) => waitOf(vmi) === 'filling'],
  ['WaitingForVolumeBinding', ({ vmi }) => waitOf(vmi) === 'unbound'],
  ['ErrImagePull', ({ vmi }) => synchronizationFailure(vmi) === 'ErrImagePull'],
  ['ImagePullBackOff', ({ vmi }) => synchronizationFailure(vmi) === 'ImagePullBackOff'],
  ['Starting', isStarting],
  ['CrashLoopBackOff', isBackingOff],
  ['Stopped', ({ vmi }) => vmi === undefined || isVmiFinal(vmi)],
]

/** Returns the status of the first rule that matches. */
export function printableStatusOf(input: StatusInput): PrintableStatus {
  return rules.find(([, matches]) => matches(input))?.[0] ?? 'Unknown'
}

function isStopping({ vmi, action }: StatusInput): boolean {
  return vmi !== undefined && !isVmiFinal(vmi) && (isBeingDeleted(vmi) || action.kind === 'stop')
}

function isStarting({ vmi, action, failing }: StatusInput): boolean {
  if (vmi === undefined) return action.kind === 'start' && !failing
  if (isVmiFinal(vmi)) return false
  return ['', 'Pending', 'Scheduling', 'Scheduled'].includes(vmi.status?.phase ?? '')
}

/** Returns what a guest that has not started waits for. */
function waitOf(vmi: VirtualMachineInstance | undefined): StorageWait | undefined {
  return vmi !== undefined && ['', 'Pending', 'Scheduling'].includes(vmi.status?.phase ?? '') ? storageWait(vmi) : undefined
}

function isBackingOff({ vm, vmi }: StatusInput): boolean {
  const ended = vmi === undefined || isVmiFinal(vmi)
  return (
    ended && (vm.status?.startFailure?.consecutiveFailCount ?? 0) > 0 && ['Always', 'RerunOnFailure', 'Once'].includes(runStrategyOf(vm))
  )
}

function isUnschedulable({ vmi }: StatusInput): boolean {
  const condition = findCondition(vmi?.status?.conditions, 'PodScheduled')
  return condition?.status === 'False' && condition.reason === 'Unschedulable'
}

function synchronizationFailure(vmi: VirtualMachineInstance | undefined): string | undefined {
  const condition = findCondition(vmi?.status?.conditions, 'Synchronized')
  return condition?.status === 'False' ? condition.reason : undefined
}
