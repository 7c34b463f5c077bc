import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePool } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { poolFinalizer } from '../names.ts'

type Ports = { readonly client: Pick<Client, 'list' | 'patch'> }

/** Reports whether an object carries the finalizer of pools. */
export function holdsFinalizer({ metadata }: KubeObject): boolean {
  return metadata?.finalizers?.includes(poolFinalizer) === true
}

/**
 * Gives up a VM that is being deleted, or whose pool is. The disks of a VM being deleted stay for
 * its successor if `pool` preserves them.
 */
export async function release({ client }: Ports, vm: VirtualMachine, signal: AbortSignal, pool?: VirtualMachinePool): Promise<void> {
  if (!holdsFinalizer(vm)) return
  if (isBeingDeleted(vm) && pool !== undefined && preservesState(pool)) await preserveDisks(client, vm, signal)
  await found(patchIfUnchanged(client, virtualMachines, vm, { metadata: { finalizers: otherFinalizers(vm) } }, { signal }))
}

/** Lets a VM go that no longer has the labels of its pool. */
export async function detach({ client }: Ports, vm: VirtualMachine, pool: VirtualMachinePool, signal: AbortSignal): Promise<void> {
  const ownerReferences = (vm.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== pool.metadata.uid)
  const metadata = { finalizers: otherFinalizers(vm), ownerReferences }
  await found(patchIfUnchanged(client, virtualMachines, vm, { metadata }, { signal }))
}

function otherFinalizers({ metadata }: KubeObject): string[] {
  return (metadata?.finalizers ?? []).filter((finalizer) => finalizer !== poolFinalizer)
}

function preservesState({ spec: { scaleInStrategy = {} } }: VirtualMachinePool): boolean {
  const { proactive, opportunistic } = scaleInStrategy
  return ((proactive ?? opportunistic)?.statePreservation ?? 'Disabled') !== 'Disabled'
}

async function preserveDisks(client: Ports['client'], vm: VirtualMachine, signal: AbortSignal): Promise<void> {
  const { namespace = '' } = vm.metadata
  const disown = async <T extends KubeObject>(resource: ResourceType<T>): Promise<void> => {
    // A cluster without CDI has no DataVolumes.
    const { items } = (await found(client.list(resource, { namespace, signal }))) ?? { items: [] }
    for (const disk of items.filter((item) => isControlledBy(item, vm))) {
      const ownerReferences = (disk.metadata?.ownerReferences ?? []).filter(({ uid }) => uid !== vm.metadata.uid)
      await found(patchIfUnchanged(client, resource, disk, { metadata: { ownerReferences } }, { signal }))
    }
  }
  await disown(persistentVolumeClaims)
  await disown(dataVolumes)
}

/** Adds the finalizer to the pool, so that its VMs are given up before it is gone. */
export async function addFinalizer({ client }: Ports, pool: VirtualMachinePool, signal: AbortSignal): Promise<VirtualMachinePool> {
  if (holdsFinalizer(pool)) return pool
  const finalizers = [...(pool.metadata.finalizers ?? []), poolFinalizer]
  return patchIfUnchanged(client, virtualMachinePools, pool, { metadata: { finalizers } }, { signal })
}

/** Removes the finalizer of the pool. A pool that is gone already is no error. */
export async function removeFinalizer({ client }: Ports, pool: VirtualMachinePool, signal: AbortSignal): Promise<void> {
  if (!holdsFinalizer(pool)) return
  await found(patchIfUnchanged(client, virtualMachinePools, pool, { metadata: { finalizers: otherFinalizers(pool) } }, { signal }))
}
