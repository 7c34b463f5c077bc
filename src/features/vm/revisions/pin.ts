import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { capture, describeConflicts, expand, revisionFormatOf, type Expansion, type MatchedObjects } from '#features/instancetype/index.ts'
import type { Failure } from '../status/conditions.ts'
import type { Ports } from '../ports.ts'
import { historyLimitOf } from './prune.ts'

/**
 * A VM with the instance type and preference that it starts with, or the reason why it cannot
 * start.
 */
export interface Prepared {
  readonly vm: VirtualMachine
  readonly inForce: MatchedObjects | undefined
  /** Undefined when the VM conflicts with its instance type. */
  readonly expansion: Expansion | undefined
  readonly failure: Failure | undefined
}

/**
 * Captures the instance type and preference that the VM names as ControllerRevisions, names them in
 * its status, and removes references that the spec no longer has.
 */
export async function captureRevisions(ports: Ports, prepared: Prepared): Promise<Prepared> {
  const current = prepared.vm
  // The expansion that is checked for conflicts is the one to start with: capture changes only the
  // status, which takes no part in it.
  let expansion: Expansion | undefined
  const objection = (inForce: MatchedObjects): string | undefined => {
    expansion = expandInForce(ports, current, inForce)
    return expansion.conflicts.length === 0 ? undefined : describeConflicts(expansion.conflicts)
  }
  const { vm, inForce, failure } = await capture(
    { ...ports, objection, format: revisionFormatOf(ports.config()), historyLimit: historyLimitOf(current, ports) },
    current,
  )
  if (failure !== undefined) return { vm, inForce, expansion: undefined, failure: { reason: failure.reason, message: failure.message } }
  return { vm, inForce, expansion: expansion ?? expandInForce(ports, vm, inForce), failure: undefined }
}

/** Expands a VM with the instance type and preference in force. */
export function expandInForce(
  { config }: Pick<Ports, 'config'>,
  vm: VirtualMachine,
  { instancetype, preference }: MatchedObjects,
): Expansion {
  return expand(vm, instancetype?.object, preference?.object, config())
}
