import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { addressOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { ownerReferenceTo } from '#features/instancetype/index.ts'
import type { Ports } from '../../ports.ts'
import { leastSizeOf, readVolumeSnapshot } from '../../volumes/filled-claim.ts'
import type { RestoredLook } from './decide-filling.ts'
import { restoringDataVolume, type RestoredVolume } from './restored-volumes.ts'

/** Creates DataVolumes that fill restored volumes. */
export async function createVolumes(
  { client }: Pick<Ports, 'client'>,
  { restore, content }: { readonly restore: VirtualMachineRestore; readonly content: VirtualMachineSnapshotContent },
  volumes: readonly RestoredVolume[],
): Promise<void> {
  const { namespace = '' } = restore.metadata
  for (const volume of volumes) {
    try {
      await client.create(
        dataVolumes,
        restoringDataVolume(
          restore,
          content,
          volume,
          leastSizeOf(volume.backup, await readVolumeSnapshot({ client }, namespace, volume.backup)),
        ),
      )
    } catch (error) {
      // Created in an earlier pass, or by others: the cache will show whose it is.
      if (!isAlreadyExists(error)) throw error
    }
  }
}

/** Deletes volumes whose place the restored ones take. */
export async function removeVolumes({ client }: Pick<Ports, 'client'>, looks: readonly RestoredLook[]): Promise<void> {
  for (const { dataVolume, claim } of looks) {
    // A DataVolume without its claim would not make another one, and one with it would.
    if (dataVolume !== undefined) await remove({ client }, dataVolumes, dataVolume)
    if (claim !== undefined) await remove({ client }, persistentVolumeClaims, claim)
  }
}

/** Deletes the DataVolumes of templates that the VM no longer has. */
export async function pruneVolumes({ client }: Pick<Ports, 'client'>, obsolete: readonly DataVolume[]): Promise<void> {
  for (const dataVolume of obsolete) await remove({ client }, dataVolumes, dataVolume)
}

async function remove<T extends KubeObject>({ client }: Pick<Ports, 'client'>, resource: ResourceType<T>, object: T): Promise<void> {
  const { uid, deletionTimestamp } = object.metadata ?? {}
  if (deletionTimestamp !== undefined && isBeingDeleted({ metadata: { deletionTimestamp } })) return
  await found(client.delete(resource, addressOf(object), uid === undefined ? {} : { preconditions: { uid } }))
}

/** Label of DataVolumes that a VM has. */
const createdByLabel = 'kubevirt.io/created-by'

/** Gives restored volumes to the VM, with which they are deleted; by policy to no owner. */
export async function adoptVolumes(
  { client }: Pick<Ports, 'client'>,
  { restore, vm }: { readonly restore: VirtualMachineRestore; readonly vm: VirtualMachine },
  volumes: readonly DataVolume[],
): Promise<void> {
  const isTemplate = ({ metadata }: DataVolume): boolean =>
    vm.spec.dataVolumeTemplates?.some((template) => template.metadata?.name === metadata.name) === true
  for (const dataVolume of volumes) {
    const isOwned = restore.spec.volumeOwnershipPolicy !== 'None' || isTemplate(dataVolume)
    const metadata = {
      ownerReferences: isOwned ? [ownerReferenceTo(vm)] : [],
      ...(isOwned ? { labels: { [createdByLabel]: vm.metadata.uid ?? '' } } : {}),
    }
    await found(patchIfUnchanged(client, dataVolumes, dataVolume, { metadata }))
  }
}
