import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { revisionsByOwner } from '#features/instancetype/index.ts'
import { capture } from '../capture/capture.ts'
import type { Step } from './decide.ts'
import { contentFinalizer, contentName, contentType, snapshotFinalizer, sourceFinalizer } from '../names.ts'
import { unlockSource, writeFinalizer, writeLock } from '../locks/lock.ts'
import type { Ports } from '../ports.ts'
import { actOnVolumes, detach, withdraw } from '../volumes/act-volumes.ts'
import { isRestoreActive } from '../restore/active-restore.ts'

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
    case 'backUp':
      return actOnVolumes(ports, { snapshot, content: step.content }, step.step)
    case 'withdraw':
      return withdraw(ports, step.vmi)
    case 'detach':
      return detach(ports, step.pods)
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
