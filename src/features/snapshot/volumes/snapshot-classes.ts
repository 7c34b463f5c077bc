import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { volumeSnapshotClasses } from '#api/snapshot-storage/v1/resources.ts'
import type { VolumeSnapshotClass } from '#api/snapshot-storage/v1/volume-snapshot-class.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { found } from '#client/found.ts'
import type { Client } from '#client/client.ts'

const defaultAnnotation = 'snapshot.storage.kubernetes.io/is-default-class'

/** Lists the classes of snapshots; none where the cluster has no such kind. */
export async function readSnapshotClasses(client: Pick<Client, 'list'>): Promise<readonly VolumeSnapshotClass[]> {
  return (await found(client.list(volumeSnapshotClasses)))?.items ?? []
}

/**
 * Returns the class of snapshots for a storage class, by KubeVirt's rule: the only one of its
 * driver, else the default one. Pure.
 */
export function snapshotClassFor(storageClass: StorageClass | undefined, classes: readonly VolumeSnapshotClass[]): string | undefined {
  if (storageClass === undefined) return undefined
  const fitting = classes.filter(({ driver }) => driver === storageClass.provisioner)
  const chosen = fitting.length === 1 ? fitting[0] : fitting.find(({ metadata }) => metadata.annotations?.[defaultAnnotation] === 'true')
  return chosen?.metadata.name
}

/** Returns the class of snapshots of a claim. */
export function snapshotClassOf(
  { spec }: Pick<PersistentVolumeClaim, 'spec'>,
  storageClass: (name: string) => StorageClass | undefined,
  classes: readonly VolumeSnapshotClass[],
): string | undefined {
  return snapshotClassFor(storageClass(spec?.storageClassName ?? ''), classes)
}
