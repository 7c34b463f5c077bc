import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { hasRequestedSize } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { computeConditions, type Failure } from './status/conditions.ts'
import type { Decision } from './decide.ts'
import { vmGenerationAnnotation } from './names.ts'
import { restartMessage, type Classification } from './live-update/classify.ts'
import type { Ports } from './ports.ts'
import type { Prepared } from './revisions/pin.ts'
import { printableStatusOf } from './status/printable-status.ts'
import { runStrategyOf } from './run-strategy.ts'
import { steadyvmStatus } from './status/steadyvm-status.ts'

/** How a pass over a VM went. */
export interface Outcome {
  readonly vmi: VirtualMachineInstance | undefined
  readonly decision: Decision
  /** Undefined: not known now. */
  readonly classification: Classification | undefined
  readonly failure: Failure | undefined
}

/** Brings the VM's status up to date, with at most one write, and none when nothing has changed. */
export async function report(ports: Ports, prepared: Prepared, outcome: Outcome): Promise<void> {
  const { vm } = prepared
  const wanted = computeStatus(ports, prepared, outcome)
  const change = changeOf(vm.status ?? {}, wanted)
  // Events of a VM that was deleted meanwhile are still recorded.
  if (change !== undefined) await found(patchStatus(ports.client, virtualMachines, vm, change))
  const failed = outcome.failure
  const told = findCondition(vm.status?.conditions, 'Failure')
  // Once, and not with every try.
  if (failed?.reason === 'FailedCreate' && !(told?.reason === failed.reason && told.message === failed.message)) {
    ports.recorder.event(vm, 'Warning', failed.reason, failed.message)
  }
}

/** The fields that the VM controller owns. */
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
  'steadyvm',
] as const
type OwnedStatus = Pick<VirtualMachineStatus, (typeof ownedFields)[number]>

function computeStatus(ports: Ports, prepared: Prepared, { vmi, decision, classification, failure }: Outcome): OwnedStatus {
  const { vm } = prepared
  const steadyvm = steadyvmStatus(ports, prepared)
  const restartRequired = restartRequiredBy(classification)
  const now = timestamp(ports.clock.now())
  const conditions = computeConditions(vm.status?.conditions as readonly Condition[] | undefined, { vmi, failure, restartRequired }, now)
  const { stateChangeRequests, startFailure, action } = decision
  const hasYetToStart = action.kind === 'wait' || (action.kind === 'start' && failure !== undefined)
  const isTaken = classification?.kind === 'unchanged' || (classification?.kind === 'live' && failure === undefined)
  const observed = vmi === undefined ? undefined : observedGeneration(vm, vmi, isTaken && hasRequestedSize(vmi))
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
 * The newest generation that the guest has in full: a later one that changes nothing for the guest
 * is in force, too.
 */
function observedGeneration(vm: VirtualMachine, vmi: VirtualMachineInstance, isInForce: boolean): number | undefined {
  if (isInForce) return vm.metadata.generation
  const started = Number(vmi.metadata.annotations?.[vmGenerationAnnotation])
  return Number.isInteger(started) ? started : vm.status?.observedGeneration
}

/** What the VM's status is to become, without the fields that others own. */
function changeOf(old: Partial<VirtualMachineStatus>, wanted: OwnedStatus): object | undefined {
  const owned = Object.fromEntries(ownedFields.map((field) => [field, old[field]]))
  return createMergePatch(owned, wanted) as object | undefined
}
