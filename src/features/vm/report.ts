import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { hasRequestedSize } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { computeConditions } from './status/conditions.ts'
import { vmGenerationAnnotation } from './names.ts'
import { restartMessage, type Classification } from './live-update/classify.ts'
import type { Ports } from './ports.ts'
import type { Pass } from './steps.ts'
import { printableStatusOf } from './status/printable-status.ts'
import { runStrategyOf } from './spec/run-strategy.ts'
import { volumeSnapshotStatuses } from './status/volume-snapshot-statuses.ts'
import { steadyvmStatus } from './status/steadyvm-status.ts'

/** Parts of a pass that the status is computed from. */
type Reported = Omit<Pass, 'isSettled'>

/** Updates the VM's status, with at most one write, and none when nothing has changed. */
export async function report(ports: Ports, pass: Reported): Promise<void> {
  const { vm, failure } = pass
  const change = changeOf(vm.status ?? {}, computeStatus(ports, pass))
  // A conflict is retried: the cache may lag behind our own last write, and the start and stop
  // subresources add requests that must not be lost. A VM that is gone still gets its event.
  if (change !== undefined) await found(patchStatus(ports.client, virtualMachines, vm, change))
  const reported = findCondition(vm.status?.conditions, 'Failure')
  const isReported = reported?.reason === failure?.reason && reported?.message === failure?.message
  if (failure?.reason === 'FailedCreate' && !isReported) ports.recorder.event(vm, 'Warning', failure.reason, failure.message)
}

/** Status fields that the VM controller owns. */
const ownedFields = [
  'created',
  'ready',
  'printableStatus',
  'conditions',
  'stateChangeRequests',
  'startFailure',
  'runStrategy',
  'observedGeneration',
  'desiredGeneration',
  'volumeSnapshotStatuses',
  'memoryDumpRequest',
  'steadyvm',
] as const
type OwnedStatus = Pick<VirtualMachineStatus, (typeof ownedFields)[number]>

function computeStatus(ports: Ports, pass: Reported): OwnedStatus {
  const { vm, vmi, decision, classification, failure } = pass
  const steadyvm = steadyvmStatus(ports, pass)
  const restartRequired = restartRequiredBy(classification)
  const now = timestamp(ports.clock.now())
  const conditions = computeConditions(vm.status?.conditions as readonly Condition[] | undefined, { vmi, failure, restartRequired }, now)
  const { stateChangeRequests, startFailure, action } = decision
  const hasYetToStart = action.kind === 'wait' || (action.kind === 'start' && failure !== undefined)
  const isTaken = classification?.kind === 'unchanged' || (classification?.kind === 'live' && failure === undefined)
  const observed = vmi === undefined ? undefined : observedGeneration(vm, vmi, isTaken && hasRequestedSize(vmi))
  const { namespace = '' } = vm.metadata
  const snapshotStatuses = volumeSnapshotStatuses(vm, (name) => ports.claims.get(namespace, name))
  // The subresources write it, too: the precondition keeps their requests.
  const memoryDumpRequest = pass.dump === undefined ? vm.status?.memoryDumpRequest : pass.dump.request
  const recorded = hasYetToStart ? vm.status?.runStrategy : runStrategyOf(vm)
  return {
    ...(vmi === undefined ? {} : { created: true }),
    ...(isTrue(conditions, 'Ready') ? { ready: true } : {}),
    printableStatus: printableStatusOf({ vm: withStartFailure(vm, startFailure), vmi, action, failing: failure !== undefined }),
    conditions: conditions as NonNullable<VirtualMachineStatus['conditions']>,
    ...(stateChangeRequests.length === 0 ? {} : { stateChangeRequests: [...stateChangeRequests] }),
    ...(startFailure === undefined ? {} : { startFailure }),
    ...(recorded === undefined ? {} : { runStrategy: recorded }),
    ...(observed === undefined ? {} : { observedGeneration: observed }),
    desiredGeneration: vm.metadata.generation ?? 0,
    ...(snapshotStatuses.length === 0 ? {} : { volumeSnapshotStatuses: snapshotStatuses }),
    ...(memoryDumpRequest ? { memoryDumpRequest } : {}),
    ...(steadyvm === undefined ? {} : { steadyvm }),
  }
}

function restartRequiredBy(classification: Classification | undefined): string | false | undefined {
  return classification?.kind === 'restart' ? restartMessage(classification) : classification && false
}

function withStartFailure(vm: VirtualMachine, startFailure: VirtualMachineStatus['startFailure']): VirtualMachine {
  const { startFailure: _, ...status } = vm.status ?? {}
  return { ...vm, status: startFailure === undefined ? status : { ...status, startFailure } }
}

/**
 * Returns the newest generation that the guest has in full; a later one without a change for the
 * guest counts as well.
 */
function observedGeneration(vm: VirtualMachine, vmi: VirtualMachineInstance, isInForce: boolean): number | undefined {
  if (isInForce) return vm.metadata.generation
  const started = Number(vmi.metadata.annotations?.[vmGenerationAnnotation])
  return Number.isInteger(started) ? started : vm.status?.observedGeneration
}

/** Returns the merge patch of the owned fields; other status fields are left out. */
function changeOf(old: Partial<VirtualMachineStatus>, wanted: OwnedStatus): object | undefined {
  const owned = Object.fromEntries(ownedFields.map((field) => [field, old[field]]))
  return createMergePatch(owned, wanted) as object | undefined
}
