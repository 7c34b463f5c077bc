import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { TransportError } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import {
  expand,
  expandVirtualMachine,
  findMatchedObjects,
  inferMatchers,
  type Expansion,
  type MatchedObjects,
} from '#features/instancetype/index.ts'
import { mustExpandSpec } from '#features/vm/index.ts'
import type { ClusterState } from '../cluster-state/cluster-state.ts'

/** Revisions in force for a VM in one state of the cluster, or the reason why there are none. */
export type VmState =
  | { readonly vm: VirtualMachine; readonly inForce: MatchedObjects; readonly failure?: never }
  | { readonly vm: VirtualMachine; readonly inForce?: never; readonly failure: string }

/**
 * Finds the revisions in force for a VM, as admission and the controller do: names are inferred
 * from volumes first.
 */
export async function stateOf(cluster: ClusterState, vm: VirtualMachine): Promise<VmState> {
  try {
    const { vm: named } = await inferMatchers(cluster.lookup, vm)
    return { vm: named, inForce: await findMatchedObjects(cluster.lookup, named) }
  } catch (error) {
    if (error instanceof TransportError) throw error
    return { vm, failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Returns the VMI of a VM. A VM that the controller writes out loses its names. */
export function expansionOf({ vm, inForce }: VmState, config: ClusterConfig): Expansion | undefined {
  if (inForce === undefined) return undefined
  const [instancetype, preference] = [inForce.instancetype?.object, inForce.preference?.object]
  const expansion = expand(vm, instancetype, preference, config)
  if (!mustExpandSpec(vm, config)) return expansion
  const written = expandVirtualMachine(vm, instancetype, preference, config, { keepsGuest: true })
  if (written.conflicts !== undefined) return expansion
  return { ...expand(written.vm, undefined, undefined, config), sources: expansion.sources }
}

/**
 * Reports whether a VM gets the same hardware in two states with the same configuration, without
 * expanding it.
 */
export function isSameState(before: VmState | undefined, after: VmState): boolean {
  if (before === undefined || before.vm.spec !== after.vm.spec) return false
  if (before.inForce === undefined || after.inForce === undefined) return before.failure === after.failure
  const [was, is] = [before.inForce, after.inForce]
  return was.instancetype?.object.spec === is.instancetype?.object.spec && was.preference?.object.spec === is.preference?.object.spec
}

/** The VM's guest; undefined when it has none, or one that has ended. */
export function guestOf(cluster: ClusterState, vm: VirtualMachine): VirtualMachineInstance | undefined {
  const vmi = cluster.get(virtualMachineInstances, vm.metadata as { namespace?: string; name: string })
  const isOwn = vmi !== undefined && isControlledBy(vmi, vm)
  const hasEnded = vmi !== undefined && isVmiFinal(vmi)
  return isOwn && !hasEnded ? vmi : undefined
}

/** Returns the start state of the VM's guest; undefined when it was not kept. */
export async function startStateOf(cluster: ClusterState, vm: VirtualMachine, vmi: VirtualMachineInstance): Promise<VmState | undefined> {
  const name = vmi.status?.virtualMachineRevisionName
  const { namespace = '' } = vm.metadata
  const revision = name === undefined ? undefined : cluster.get(controllerRevisions, { namespace, name })
  const spec = revision?.data?.['spec'] as VirtualMachineSpec | undefined
  if (spec === undefined) return undefined
  const { status: _, ...rest } = vm
  // The successor of a replaced revision stands for every reference to it.
  const { replaced } = vm.status?.steadyvm ?? {}
  return stateOf(cluster, { ...rest, spec, ...(replaced === undefined ? {} : { status: { steadyvm: { replaced } } }) })
}
