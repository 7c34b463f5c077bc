import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachine, VirtualMachineStartFailure, VirtualMachineStateChangeRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { hardwareNames } from '#features/hardware-record/index.ts'
import { isBeingRestored, isBeingSnapshotted } from './spec/snapshot-lock.ts'
import { runStrategyOf } from './spec/run-strategy.ts'
import { nextStartFailure, startDelayLeftMs } from './start/backoff.ts'

/**
 * A VM and the VMI that it controls; a VMI of the same name with another controller is left out.
 */
export interface Observed {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
}

/** The action to take now. */
export type Action =
  | { readonly kind: 'none' }
  | { readonly kind: 'start'; readonly paused: boolean }
  | { readonly kind: 'stop'; readonly vmi: VirtualMachineInstance }
  /** Remove the finalizer of a deleted VM: no VMI is left. */
  | { readonly kind: 'release' }
  /** A start is due after a back-off. */
  | { readonly kind: 'wait'; readonly ms: number }

/** The action, and the fields of the VM's status that must record it. */
export interface Decision {
  readonly action: Action
  readonly stateChangeRequests: readonly VirtualMachineStateChangeRequest[]
  readonly startFailure: VirtualMachineStartFailure | undefined
}

const none: Action = { kind: 'none' }

/**
 * Decides what to do for a VM. Reads nothing but its arguments; `random` in [0, 1) spreads retries.
 *
 * | strategy       | with VMI                                        | without                                            |
 * |----------------|-------------------------------------------------|----------------------------------------------------|
 * | Always         | stop when final, requested, or refused in vain  | start, after back-off                              |
 * | RerunOnFailure | stop when final or requested; failed: restart   | start when requested, or when the strategy is new  |
 * | Manual         | stop when requested                             | start when requested                               |
 * | Halted         | stop                                            | leave                                              |
 * | Once           | leave                                           | start                                              |
 */
export function decide(observed: Observed, nowMs: number, random: number): Decision {
  const { vm, vmi } = observed
  const strategy = runStrategyOf(vm)
  const startFailure = nextStartFailure({ strategy, vmi, previous: vm.status?.startFailure ?? undefined, nowMs, random })
  const requests = trimRequests(vm.status?.stateChangeRequests ?? [], vmi)
  if (isBeingDeleted(vm)) return { action: decideDeletion(vm, vmi), stateChangeRequests: requests, startFailure }
  if (vmi !== undefined) return { ...decideWithVmi(vm, vmi, requests), startFailure }
  const start = decideStart(vm, requests)
  const ms = start.kind === 'start' ? startDelayLeftMs(startFailure, nowMs) : 0
  return { action: ms > 0 ? { kind: 'wait', ms } : start, stateChangeRequests: requests, startFailure }
}

/** Stops the guest first. With `kubectl delete --cascade=orphan` the VMI is kept. */
function decideDeletion(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): Action {
  if (vmi === undefined || vm.metadata.finalizers?.includes('orphan') === true) return { kind: 'release' }
  return isBeingDeleted(vmi) ? none : { kind: 'stop', vmi }
}

function decideWithVmi(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance,
  requests: readonly VirtualMachineStateChangeRequest[],
): Pick<Decision, 'action' | 'stateChangeRequests'> {
  if (isBeingDeleted(vmi)) return { action: none, stateChangeRequests: requests }
  const stop: Action = { kind: 'stop', vmi }
  const stopAsked = requests[0]?.action === 'Stop' && requests[0].uid === vmi.metadata.uid
  switch (runStrategyOf(vm)) {
    case 'Always':
      return { action: isVmiFinal(vmi) || stopAsked || isRefusalObsolete(vm, vmi) ? stop : none, stateChangeRequests: requests }
    case 'RerunOnFailure':
      return {
        action: isVmiFinal(vmi) || stopAsked ? stop : none,
        stateChangeRequests: vmi.status?.phase === 'Failed' ? withStart(requests) : requests,
      }
    case 'Manual':
      return { action: stopAsked ? stop : none, stateChangeRequests: requests }
    case 'Halted':
      return { action: stop, stateChangeRequests: requests }
    case 'Once':
    case 'WaitAsReceiver':
      return { action: none, stateChangeRequests: requests }
  }
}

/**
 * Reports whether the node agent refuses to start the guest for hardware that the VM no longer asks
 * for: its spec was changed back, and no guest runs that a restart would interrupt.
 */
function isRefusalObsolete(vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  const changed = findCondition(vmi.status?.conditions, hardwareNames.changedCondition)
  const isRefused = changed?.status === 'True' && changed.reason === hardwareNames.refusedReason && vmi.status?.phase !== 'Running'
  return isRefused && isTrue(vm.status?.conditions, 'RestartRequired')
}

function decideStart(vm: VirtualMachine, requests: readonly VirtualMachineStateChangeRequest[]): Action {
  if (isBeingRestored(vm) || isBeingSnapshotted(vm)) return none
  const request = requests[0]?.action === 'Start' ? requests[0] : undefined
  const start: Action = { kind: 'start', paused: request?.data?.['paused'] === 'true' }
  switch (runStrategyOf(vm)) {
    case 'Always':
    case 'Once':
      return start
    case 'RerunOnFailure':
      return request !== undefined || vm.status?.runStrategy !== 'RerunOnFailure' ? start : none
    case 'Manual':
      return request === undefined ? none : start
    case 'Halted':
    case 'WaitAsReceiver':
      return none
  }
}

/** Drops the first request when it is fulfilled or can never be. */
function trimRequests(
  requests: readonly VirtualMachineStateChangeRequest[],
  vmi: VirtualMachineInstance | undefined,
): readonly VirtualMachineStateChangeRequest[] {
  const head = requests[0]
  if (head === undefined) return requests
  const isStale =
    head.action === 'Stop'
      ? vmi === undefined || head.uid !== vmi.metadata.uid
      : vmi !== undefined && !isBeingDeleted(vmi) && !isVmiFinal(vmi)
  return isStale ? requests.slice(1) : requests
}

function withStart(requests: readonly VirtualMachineStateChangeRequest[]): readonly VirtualMachineStateChangeRequest[] {
  return requests.some((request) => request.action === 'Start') ? requests : [...requests, { action: 'Start' }]
}
