import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { capture, describeConflicts, expand, revisionFormatOf, type Expansion, type MatchedObjects } from '#features/instancetype/index.ts'
import { ensureFinalizer } from '../act.ts'
import type { Failure } from '../status/conditions.ts'
import { inferFromVolume } from './infer-from-volume.ts'
import type { Ports } from '../ports.ts'
import { historyLimitOf } from './prune.ts'
import { mustExpandSpec, expandSpec } from './expand-spec.ts'

/** A VM of which all is known that a start needs; or why not. */
export interface Prepared {
  readonly vm: VirtualMachine
  readonly inForce: MatchedObjects | undefined
  /** Without conflicts. */
  readonly expansion: Expansion | undefined
  readonly failure: Failure | undefined
}

/** Finalizer and revisions: what must be there before a VM may start. */
export async function prepare(ports: Ports, seen: VirtualMachine): Promise<Prepared> {
  const { vm, failure: uninferred } = await inferFromVolume(ports, await ensureFinalizer(ports, seen))
  if (uninferred !== undefined) return { vm, inForce: undefined, expansion: undefined, failure: uninferred }
  if (!mustExpandSpec(vm, ports.config())) return pin(ports, vm)
  const { vm: written, failure } = await expandSpec(ports, vm)
  return failure === undefined ? pin(ports, written) : { vm, inForce: undefined, expansion: undefined, failure }
}

/** Pins what the VM names, and forgets what it no longer names. */
async function pin(ports: Ports, seen: VirtualMachine): Promise<Prepared> {
  // What is expanded to see whether the instance type fits is what the VM starts with: its status,
  // the only thing that changes below, has no part.
  let expansion: Expansion | undefined
  const objection = (inForce: MatchedObjects): string | undefined => {
    expansion = expandInForce(ports, seen, inForce)
    return expansion.conflicts.length === 0 ? undefined : describeConflicts(expansion.conflicts)
  }
  const { vm, inForce, failure } = await capture(
    { ...ports, objection, format: revisionFormatOf(ports.config()), historyLimit: historyLimitOf(seen, ports) },
    seen,
  )
  if (failure !== undefined) return { vm, inForce, expansion: undefined, failure: { reason: failure.reason, message: failure.message } }
  return { vm, inForce, expansion: expansion ?? expandInForce(ports, vm, inForce), failure: undefined }
}

/** What a VM expands to with what is in force for it. */
export function expandInForce(
  { config }: Pick<Ports, 'config'>,
  vm: VirtualMachine,
  { instancetype, preference }: MatchedObjects,
): Expansion {
  return expand(vm, instancetype?.object, preference?.object, config())
}
