import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock.ts'
import { revisionsByOwner } from '#features/instancetype/index.ts'
import { capture } from './capture/capture.ts'
import type { Step } from './decide.ts'
import { contentFinalizer, contentName, contentType, snapshotFinalizer, sourceFinalizer } from './names.ts'
import type { Ports } from './ports.ts'
import { isRestoreActive } from './active-restore.ts'

/** Takes the step. `report` writes the snapshot's status. @throws CaptureFailed, StatusError */
export async function act(ports: Ports, snapshot: VirtualMachineSnapshot, step: Step): Promise<void> {
  switch (step.kind) {
    case 'none':
    case 'wait':
    case 'waitForRestores':
    case 'fail':
    case 'succeed':
      return
    case 'protect':
      return writeFinalizer(ports, virtualMachineSnapshots, snapshot, { finalizer: snapshotFinalizer, isWanted: true })
    case 'release':
      if ((await isNeeded(ports, snapshot)) || (await hasUnseenContent(ports, snapshot))) return
      return writeFinalizer(ports, virtualMachineSnapshots, snapshot, { finalizer: snapshotFinalizer, isWanted: false })
    case 'lock':
      return writeLock(ports, step.vm, { snapshotInProgress: snapshot.metadata.name ?? '' })
    case 'protectSource':
      return writeFinalizer(ports, virtualMachines, step.vm, { finalizer: sourceFinalizer, isWanted: true })
    case 'unlock':
      return unlockSource(ports, step.vm)
    case 'capture':
      return capture(ports, snapshot, step.vm)
    case 'disown':
      return disown(ports, snapshot, step.content)
    case 'completeContent':
      return completeContent(ports, step.content)
    case 'handOver':
      return handOver(ports, snapshot, step.content)
    case 'deleteContent':
      await found(ports.client.delete(virtualMachineSnapshotContents, keyOf(step.content), preconditionOf(step.content)))
      return
    case 'releaseContent':
      if (await isNeeded(ports, snapshot)) return
      return writeFinalizer(ports, virtualMachineSnapshotContents, step.content, { finalizer: contentFinalizer, isWanted: false })
  }
}

/**
 * Reports whether a restore from a snapshot that is being deleted is in progress: the cache may not
 * show it yet. When it does, the snapshot is reconciled again.
 */
async function isNeeded({ client }: Ports, { metadata: { namespace = '', name } }: VirtualMachineSnapshot): Promise<boolean> {
  const { items } = await client.list(virtualMachineRestores, { namespace })
  return items.some((restore) => restore.spec.virtualMachineSnapshotName === name && isRestoreActive(restore))
}

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

/** Reports whether a controller has just created content for a snapshot that is being deleted. */
async function hasUnseenContent(
  { client, contents }: Ports,
  { metadata: { namespace = '', uid = '' } }: VirtualMachineSnapshot,
): Promise<boolean> {
  const name = contentName(uid)
  if (contents.get(namespace, name) !== undefined) return false
  return (await found(client.get(virtualMachineSnapshotContents, { namespace, name }))) !== undefined
}

/**
 * Keeps nothing for a snapshot that was deleted meanwhile. One that still exists looks for its
 * content before it is removed.
 */
async function disown({ client }: Ports, snapshot: VirtualMachineSnapshot, content: VirtualMachineSnapshotContent): Promise<void> {
  const { uid } = snapshot.metadata
  const now = await found(client.get(virtualMachineSnapshots, keyOf(snapshot)))
  if (now?.metadata.uid !== uid) return
  const ownerReferences = (content.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
  await found(patchIfUnchanged(client, virtualMachineSnapshotContents, content, { metadata: { ownerReferences } }))
}

async function completeContent({ client, clock }: Ports, content: VirtualMachineSnapshotContent): Promise<void> {
  const creationTime = content.metadata.creationTimestamp ?? timestamp(clock.now())
  // No precondition: only this controller writes the status of content.
  const body = { status: { readyToUse: true, creationTime } }
  await found(client.patch(virtualMachineSnapshotContents, keyOf(content), { type: 'merge', body }, { subresource: 'status' }))
}

/**
 * Content that outlives its snapshot becomes the owner of the revisions that it names, which would
 * vanish with the snapshot.
 */
async function handOver(ports: Ports, snapshot: VirtualMachineSnapshot, content: VirtualMachineSnapshotContent): Promise<void> {
  const { name = '', uid = '' } = content.metadata
  const owner = { ...contentType, name, uid, controller: true }
  for (const revision of ports.revisions.byIndex(revisionsByOwner, snapshot.metadata.uid ?? '')) {
    const others = (revision.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== snapshot.metadata.uid)
    await found(patchIfUnchanged(ports.client, controllerRevisions, revision, { metadata: { ownerReferences: [...others, owner] } }))
  }
}

function preconditionOf({ metadata: { uid } }: VirtualMachineSnapshotContent): { preconditions?: { uid: string } } {
  return uid === undefined ? {} : { preconditions: { uid } }
}
