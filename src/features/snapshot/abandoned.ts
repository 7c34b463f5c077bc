import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { unlockSource, writeFinalizer, writeLock } from './act.ts'
import { found } from './found.ts'
import { contentFinalizer } from './names.ts'
import type { Ports } from './ports.ts'

/** Index of VMs by namespace and name of the snapshot that locks them. */
export const vmsBySnapshot = 'snapshotInProgress'
/** Index of VMs by namespace and name of the restore that locks them. */
export const vmsByRestore = 'restoreInProgress'
/** Index of content by namespace and name of its snapshot. */
export const contentsBySnapshot = 'snapshot'

/** See {@link vmsBySnapshot}. */
export function snapshotKeys({ metadata, status }: VirtualMachine): readonly string[] {
  return status?.snapshotInProgress === undefined ? [] : [`${metadata.namespace ?? ''}/${status.snapshotInProgress}`]
}

/** See {@link vmsByRestore}. */
export function restoreKeys({ metadata, status }: VirtualMachine): readonly string[] {
  return status?.restoreInProgress === undefined ? [] : [`${metadata.namespace ?? ''}/${status.restoreInProgress}`]
}

/** Frees what a snapshot holds that was taken out of the API by force. The cache may not have seen a new one yet, so the API is asked. */
export async function freeFromSnapshot(ports: Ports, { namespace, name }: Request): Promise<void> {
  const key = `${namespace}/${name}`
  const locked = ports.vms.byIndex(vmsBySnapshot, key)
  const contents = ports.contents.byIndex(contentsBySnapshot, key).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const bound = contents.filter(({ metadata }) => metadata.finalizers?.includes(contentFinalizer) === true)
  if (locked.length + bound.length === 0) return
  if ((await found(ports.client.get(virtualMachineSnapshots, { namespace, name }))) !== undefined) return
  for (const vm of locked) await unlockSource(ports, vm)
  for (const content of bound)
    await writeFinalizer(ports, virtualMachineSnapshotContents, content, { finalizer: contentFinalizer, isWanted: false })
}

/** The same for a restore. */
export async function freeFromRestore(ports: Ports, { namespace, name }: Request): Promise<void> {
  const locked = ports.vms.byIndex(vmsByRestore, `${namespace}/${name}`)
  if (locked.length === 0) return
  if ((await found(ports.client.get(virtualMachineRestores, { namespace, name }))) !== undefined) return
  for (const vm of locked) await writeLock(ports, vm, { restoreInProgress: null })
}
