import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, isTrue, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { podResizedCondition, resizedCondition, type ResizeObstacle } from '../resize/resized-condition.ts'
import { imageFailure, unschedulableReason } from '../launcher/pod-state.ts'
import type { StorageStatus } from '../storage/volume-status.ts'

type Conditions = readonly VirtualMachineInstanceCondition[] | undefined

/**
 * Returns the conditions of a VMI with a pod but without a guest: not ready, and why its pod does
 * not run.
 */
export function schedulingConditions(
  old: Conditions,
  pod: Pod | undefined,
  storage: StorageStatus,
  now: string,
): VirtualMachineInstanceCondition[] {
  const conditions = withDataVolumes(setCondition(old, notRunning, now), storage, now)
  return withImageFailure(withPlacement(conditions, pod, now), pod, now)
}

/** Returns the conditions of a VMI that waits for claims: not ready, and what is missing. */
export function waitingConditions(old: Conditions, storage: StorageStatus, now: string): VirtualMachineInstanceCondition[] {
  const conditions = withDataVolumes(setCondition(old, notRunning, now), storage, now)
  if (storage.obstacle === undefined) return removeCondition(conditions, 'Synchronized')
  return setCondition(conditions, { type: 'Synchronized', status: 'False', lastProbeTime: null, ...storage.obstacle }, now)
}

const notRunning: VirtualMachineInstanceCondition = {
  type: 'Ready',
  status: 'False',
  reason: 'GuestNotRunning',
  message: 'Guest VM is not reported as running',
  lastProbeTime: null,
}

/** Adds the DataVolumesReady condition to VMIs that have DataVolumes. */
function withDataVolumes(
  conditions: VirtualMachineInstanceCondition[],
  { hasDataVolumes, isFilled }: StorageStatus,
  now: string,
): VirtualMachineInstanceCondition[] {
  if (!hasDataVolumes) return removeCondition(conditions, 'DataVolumesReady')
  const told = isFilled
    ? { status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and not running" }
    : { status: 'False', reason: 'NotAllDVsReady', message: "Not all of the VMI's DVs are ready" }
  return setCondition<VirtualMachineInstanceCondition>(
    conditions,
    { type: 'DataVolumesReady', lastProbeTime: null, ...told } as VirtualMachineInstanceCondition,
    now,
  )
}

/** The pod of a running guest, and why it has not got the size of the guest. */
interface RunningPod {
  readonly pod: Pod | undefined
  readonly obstacle: ResizeObstacle | undefined
}

/**
 * Returns the conditions of a VMI whose guest the node agent runs, as far as they follow the pod:
 * its readiness, which the agent reports only when it starts the guest, and its size.
 */
export function runningConditions(old: Conditions, { pod, obstacle }: RunningPod, now: string): VirtualMachineInstanceCondition[] {
  const ready = setCondition<VirtualMachineInstanceCondition>(old, { type: 'Ready', lastProbeTime: null, ...readiness(pod) }, now)
  const size = pod === undefined ? undefined : resizedCondition(pod, obstacle)
  return size === undefined ? removeCondition(ready, podResizedCondition) : setCondition(ready, size, now)
}

function readiness(pod: Pod | undefined): Pick<VirtualMachineInstanceCondition, 'status' | 'reason' | 'message'> {
  if (pod === undefined) return { status: 'False', reason: 'PodNotExists', message: 'virt-launcher pod has not yet been scheduled' }
  if (isBeingDeleted(pod)) return { status: 'False', reason: 'PodTerminating', message: 'virt-launcher pod is terminating' }
  const condition = findCondition(pod.status?.conditions, 'Ready')
  if (condition === undefined) {
    return { status: 'False', reason: 'PodConditionMissing', message: 'virt-launcher pod is missing the Ready condition' }
  }
  const { status, reason, message } = condition
  return { status, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
}

/**
 * Adds PodScheduled only while the pod cannot be scheduled, which saves a write for a VMI that
 * starts smoothly.
 */
function withPlacement(
  conditions: VirtualMachineInstanceCondition[],
  pod: Pod | undefined,
  now: string,
): VirtualMachineInstanceCondition[] {
  const problem = pod === undefined ? undefined : unschedulableReason(pod)
  if (problem === undefined) return removeCondition(conditions, 'PodScheduled')
  return setCondition(conditions, { type: 'PodScheduled', status: 'False', lastProbeTime: null, ...problem }, now)
}

function withImageFailure(
  conditions: VirtualMachineInstanceCondition[],
  pod: Pod | undefined,
  now: string,
): VirtualMachineInstanceCondition[] {
  const problem = pod === undefined ? undefined : imageFailure(pod)
  if (problem === undefined) return removeCondition(conditions, 'Synchronized')
  // The kubelet alternates between both reasons; keeping the first one saves a write every few
  // seconds.
  const shown = findCondition(conditions, 'Synchronized')
  if (shown !== undefined && !isTrue(conditions, 'Synchronized')) return conditions
  return setCondition(conditions, { type: 'Synchronized', status: 'False', lastProbeTime: null, ...problem }, now)
}
