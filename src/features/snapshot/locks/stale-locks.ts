import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { found } from '#client/found.ts'
import { restoringAnnotation } from '#features/vm/index.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { contentFinalizer, contentName, lastRestoreAnnotation, restoreMark } from '../names.ts'
import { contentsBySnapshot, podsBySnapshot, vmisBySnapshot, vmsByRestore, vmsBySnapshot, type Ports } from '../ports.ts'
import { detach, withdraw } from '../volumes/act-volumes.ts'
import { discard, unlockSource, writeFinalizer, writeLock } from './lock.ts'

/** The snapshot that locks a VM. */
export function snapshotsLocking({ metadata, status }: VirtualMachine): readonly Request[] {
  return requestsFor(metadata.namespace, [status?.snapshotInProgress])
}

/** Returns the restore that locks a VM, or has begun to create it. */
export function restoresLocking({ metadata, status }: VirtualMachine): readonly Request[] {
  return requestsFor(metadata.namespace, [status?.restoreInProgress, metadata.annotations?.[restoringAnnotation]])
}

function requestsFor(namespace = '', names: readonly (string | undefined)[]): readonly Request[] {
  return [...new Set(names)].flatMap((name = '') => (name === '' ? [] : [{ namespace, name }]))
}

/**
 * Releases the lock of a snapshot that was removed by force, or released by a controller with a
 * stale cache; also when another one has its name now. The cache may not show a new one yet, so the
 * API is asked.
 */
export async function freeFromSnapshot(ports: Ports, { namespace, name }: Request): Promise<void> {
  const key = `${namespace}/${name}`
  const contents = ports.contents.byIndex(contentsBySnapshot, key).filter(isBeingDeleted)
  const bound = contents.filter(({ metadata }) => metadata.finalizers?.includes(contentFinalizer) === true)
  const abandonedBy = (snapshot: VirtualMachineSnapshot | undefined): Abandoned => ({
    locked: ports.vms.byIndex(vmsBySnapshot, key).filter(({ metadata }) => metadata.name !== snapshot?.spec.source.name),
    bound: bound.filter(({ metadata }) => snapshot === undefined || metadata.name !== contentName(snapshot.metadata.uid ?? '')),
    copying: ports.vmis
      .byIndex(vmisBySnapshot, key)
      .filter(({ status }) => snapshot === undefined || status?.steadyvm?.diskCopy?.id !== snapshot.metadata.uid),
    attached: snapshot === undefined ? ports.attachments.byIndex(podsBySnapshot, key).filter((pod) => !isBeingDeleted(pod)) : [],
  })
  const cached = abandonedBy(ports.snapshots.get(namespace, name))
  if (Object.values<readonly unknown[]>({ ...cached }).every(({ length }) => length === 0)) return
  const abandoned = abandonedBy(await found(ports.client.get(virtualMachineSnapshots, { namespace, name })))
  for (const vm of abandoned.locked) await unlockSource(ports, vm)
  for (const content of abandoned.bound)
    await writeFinalizer(ports, virtualMachineSnapshotContents, content, { finalizer: contentFinalizer, isWanted: false })
  for (const vmi of abandoned.copying) await withdraw(ports, vmi)
  await detach(ports, abandoned.attached)
}

interface Abandoned {
  readonly locked: readonly VirtualMachine[]
  readonly bound: readonly VirtualMachineSnapshotContent[]
  /** Guests whose node agents are asked to copy volumes. */
  readonly copying: readonly VirtualMachineInstance[]
  readonly attached: readonly Pod[]
}

/** The same for a restore. A VM that it has only begun to create is deleted. */
export async function freeFromRestore(ports: Ports, { namespace, name }: Request): Promise<void> {
  const isBegun = ({ metadata }: VirtualMachine): boolean => metadata.annotations?.[restoringAnnotation] === name
  const abandonedBy = (restore: VirtualMachineRestore | undefined): readonly VirtualMachine[] =>
    ports.vms.byIndex(vmsByRestore, `${namespace}/${name}`).filter((vm) => {
      if (!isBegun(vm)) return vm.metadata.name !== restore?.spec.target.name
      return restore === undefined || vm.metadata.annotations?.[lastRestoreAnnotation] !== restoreMark(restore)
    })
  if (abandonedBy(ports.restores.get(namespace, name)).length === 0) return
  const restore = await found(ports.client.get(virtualMachineRestores, { namespace, name }))
  for (const vm of abandonedBy(restore)) await (isBegun(vm) ? discard(ports, vm) : writeLock(ports, vm, { restoreInProgress: null }))
}
