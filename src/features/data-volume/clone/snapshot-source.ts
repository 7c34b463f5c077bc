import type { DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { volumeSnapshotContents, volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import type { Quantity } from '#api/scalars.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { FillWait } from '../fill/decide-fill.ts'
import { names } from '../names.ts'

/** A VolumeSnapshot that is copied. */
export interface SnapshotSource extends DataVolumeSourceObject {
  readonly labels: Readonly<Record<string, string>>
  readonly driver: string | undefined
  readonly volumeMode: string | undefined
  /** Smallest volume that it can be restored to. */
  readonly restoreSize: Quantity | undefined
}

/** Reads a VolumeSnapshot with its driver, or what it waits for. */
export async function readSnapshot(
  client: Pick<Client, 'get'>,
  { namespace, name }: DataVolumeSourceObject,
): Promise<SnapshotSource | { readonly wait: FillWait }> {
  const snapshot = await found(client.get(volumeSnapshots, { namespace, name }))
  if (snapshot === undefined)
    return { wait: { reason: 'CloneWithoutSource', message: `The source snapshot ${name} doesn't exist in namespace ${namespace}` } }
  const { readyToUse, boundVolumeSnapshotContentName = '', restoreSize } = snapshot.status ?? {}
  if (readyToUse !== true || boundVolumeSnapshotContentName === '')
    return { wait: { reason: 'SnapshotNotReady', message: `The source snapshot ${namespace}/${name} is not ready to use` } }
  const content = await found(client.get(volumeSnapshotContents, { name: boundVolumeSnapshotContentName }))
  return {
    namespace,
    name,
    labels: snapshot.metadata.labels ?? {},
    driver: content?.spec.driver,
    volumeMode: content?.spec.sourceVolumeMode,
    restoreSize,
  }
}

/** Returns a snapshot as the claim that it would be restored to, of which sizes are read. Pure. */
export function asClaim({ volumeMode, restoreSize }: SnapshotSource): Pick<PersistentVolumeClaim, 'spec' | 'status'> {
  return {
    spec: volumeMode === undefined ? {} : { volumeMode },
    ...(restoreSize === undefined ? {} : { status: { capacity: { storage: restoreSize } } }),
  }
}

/** Name of the claim that a snapshot is restored to so that a worker can copy it. Pure. */
export function restoredName({ metadata: { uid = '' } }: PersistentVolumeClaim): string {
  return `tmp-source-pvc-${uid}`
}

/**
 * Returns the claim that a snapshot is restored to so that a worker can copy it into `target`, or
 * why there is none. Pure.
 */
export function restoredClaimOf(
  snapshot: SnapshotSource,
  target: PersistentVolumeClaim,
  classes: readonly StorageClass[],
): PersistentVolumeClaim | FillWait {
  const { namespace, name, driver, volumeMode, restoreSize = 0 } = snapshot
  const fitting = classes.filter(({ provisioner }) => provisioner === driver).map(({ metadata }) => metadata.name ?? '')
  const storageClassName = fitting.toSorted()[0]
  if (storageClassName === undefined)
    return {
      reason: 'NoProvisionerMatch',
      message: `No StorageClass restores the snapshot ${namespace}/${name}: its driver is "${driver ?? ''}"`,
    }
  const size = parseQuantity(restoreSize).nanos > 0n ? restoreSize : target.spec?.resources?.requests?.['storage']
  const mode = volumeMode ?? target.spec?.volumeMode
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: restoredName(target),
      namespace,
      labels: { app: 'containerized-data-importer', [names.restoredForLabel]: target.metadata.uid ?? '' },
      annotations: { [names.restoredFor]: `${target.metadata.namespace ?? ''}/${target.metadata.name ?? ''}` },
    },
    spec: {
      storageClassName,
      // Not all drivers make a volume that can only be read.
      accessModes: ['ReadWriteOnce'],
      ...(mode === undefined ? {} : { volumeMode: mode }),
      resources: { requests: size === undefined ? {} : { storage: size } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name },
    },
  }
}

/** Dependencies of {@link restoredFrom}. */
export interface RestorePorts {
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
  readonly classes: Lister<StorageClass>
}

/** Returns the claim that the snapshot was restored to, or what is missing for that. */
export function restoredFrom(
  { claims, classes }: RestorePorts,
  snapshot: SnapshotSource,
  target: PersistentVolumeClaim,
): { readonly copied: PersistentVolumeClaim } | { readonly wait: FillWait; readonly restore?: PersistentVolumeClaim } {
  const { namespace, name } = snapshot
  const restored = claims.get(namespace, restoredName(target))
  if (restored === undefined) {
    const wanted = restoredClaimOf(snapshot, target, classes.list())
    if ('reason' in wanted) return { wait: wanted }
    return { wait: { reason: 'Pending', message: `The snapshot ${namespace}/${name} is restored for the worker` }, restore: wanted }
  }
  const bindsLate = classes.get('', restored.spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer'
  // A worker is the first pod of a volume that waits for one.
  if (restored.status?.phase === 'Bound' || bindsLate) return { copied: restored }
  const message = `The snapshot ${namespace}/${name} is restored to PVC ${restored.metadata.name ?? ''}, which is not bound yet`
  return { wait: { reason: 'Pending', message } }
}
