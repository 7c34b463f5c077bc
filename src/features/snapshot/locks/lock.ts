import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { sourceFinalizer } from '../names.ts'
import type { Ports } from '../ports.ts'

/**
 * Unlocks a VM. The finalizer is removed first: while the lock exists, it identifies the owner of
 * the finalizer.
 */
export async function unlockSource(ports: Pick<Ports, 'client'>, vm: VirtualMachine): Promise<void> {
  if (vm.metadata.finalizers?.includes(sourceFinalizer) === true) {
    return writeFinalizer(ports, virtualMachines, vm, { finalizer: sourceFinalizer, isWanted: false })
  }
  return writeLock(ports, vm, { snapshotInProgress: null })
}

/** Adds or removes a finalizer, unless the object has changed since it was read. */
export async function writeFinalizer<T extends KubeObject>(
  { client }: Pick<Ports, 'client'>,
  resource: ResourceType<T>,
  object: T,
  { finalizer, isWanted }: { readonly finalizer: string; readonly isWanted: boolean },
): Promise<void> {
  const others = (object.metadata?.finalizers ?? []).filter((other) => other !== finalizer)
  await found(patchIfUnchanged(client, resource, object, { metadata: { finalizers: isWanted ? [...others, finalizer] : others } }))
}

/** Writes a lock into a VM's status, unless the VM has changed since it was read. */
export async function writeLock(
  { client }: Pick<Ports, 'client'>,
  vm: VirtualMachine,
  status: { readonly snapshotInProgress: string | null } | { readonly restoreInProgress: string | null },
): Promise<void> {
  await found(patchStatus(client, virtualMachines, vm, status))
}

/** Deletes a VM that a restore has only begun to create, unless it was completed meanwhile. */
export async function discard({ client }: Pick<Ports, 'client'>, vm: VirtualMachine): Promise<void> {
  const { uid = '', resourceVersion = '' } = vm.metadata
  await found(client.delete(virtualMachines, keyOf(vm), { preconditions: { uid, resourceVersion } }))
}
