import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import type { VolumeSnapshot } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'

/** Reads the VolumeSnapshot of a backup. Undefined: there is none, or no longer. */
export async function readVolumeSnapshot(
  { client }: { readonly client: Pick<Client, 'get'> },
  namespace: string,
  { volumeSnapshotName }: VolumeBackup,
): Promise<VolumeSnapshot | undefined> {
  if (volumeSnapshotName === undefined) return undefined
  return found(client.get(volumeSnapshots, { namespace, name: volumeSnapshotName }))
}

/** Returns the size that a driver asks for if it is more than the volume had. Pure. */
export function leastSizeOf({ persistentVolumeClaim }: VolumeBackup, volumeSnapshot: VolumeSnapshot | undefined): string | undefined {
  const { restoreSize } = volumeSnapshot?.status ?? {}
  if (restoreSize === undefined) return undefined
  const had = persistentVolumeClaim.spec?.resources?.requests?.['storage'] ?? '0'
  return bytesOf(restoreSize) > bytesOf(had) ? String(restoreSize) : undefined
}

function bytesOf(quantity: string | number): bigint {
  return quantityToBytes(parseQuantity(quantity))
}

/**
 * Returns the spec of a claim with the content of a backup: of the size that the volume had, or of
 * the size that the driver asks for. A backup by a copy has no data source. Pure.
 */
export function filledClaimSpec(
  { persistentVolumeClaim: { spec = {} }, volumeSnapshotName }: VolumeBackup,
  leastSize: string | undefined,
): PersistentVolumeClaimSpec {
  return {
    ...spec,
    ...(leastSize === undefined ? {} : { resources: { requests: { storage: leastSize } } }),
    ...(volumeSnapshotName === undefined
      ? {}
      : { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: volumeSnapshotName } }),
  }
}
