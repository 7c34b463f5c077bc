import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { ClaimPropertySet, StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'
import { localProvisioner } from './capabilities.ts'
import { isDefault, isVirtDefault } from './default-storage-class.ts'

/** Caches that the metrics are read from at each scrape. */
export interface StorageSources {
  readonly profiles: Pick<Lister<StorageProfile>, 'list'>
  readonly classes: Pick<Lister<StorageClass>, 'get'>
  readonly installations: Pick<Lister<CDI>, 'list'>
}

/** Defines CDI's metrics of storage classes and of its own object. */
export function defineStorageMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, { profiles, classes, installations }: StorageSources): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_cdi_storageprofile_info',
      help: "`StorageProfiles` info labels: `storageclass`, `provisioner`, `complete` indicates if all storage profiles recommended PVC settings are complete, `default` indicates if it's the Kubernetes default storage class, `virtdefault` indicates if it's the default virtualization storage class, `rwx` indicates if the storage class supports `ReadWriteMany`, `smartclone` indicates if it supports snapshot or CSI based clone, `degraded` indicates it is not optimal for virtualization",
      labels: ['storageclass', 'provisioner', 'complete', 'default', 'virtdefault', 'rwx', 'smartclone', 'degraded'],
    },
    () =>
      profiles.list().flatMap((profile): Sample[] => {
        const storageClass = classes.get('', profile.metadata.name ?? '')
        return storageClass === undefined || profile.status?.storageClass === undefined ? [] : [[profileInfoOf(profile, storageClass), 1]]
      }),
  )
  metrics.gaugeFrom({ name: 'kubevirt_cdi_cr_ready', help: 'CDI install ready' }, () => [[{}, readinessOf(installations.list())]])
}

/** Returns what a storage class is fit for. Pure. */
export function profileInfoOf({ status = {} }: StorageProfile, storageClass: StorageClass): Labels {
  const sets = status.claimPropertySets ?? []
  const isRwx = sets.some(({ accessModes }) => accessModes.includes('ReadWriteMany'))
  const isSmartClone = ['snapshot', 'csi-clone'].includes(status.cloneStrategy ?? '')
  return {
    storageclass: status.storageClass ?? '',
    provisioner: status.provisioner ?? '',
    complete: String(sets.length > 0 && sets.every(isComplete)),
    default: String(isDefault(storageClass)),
    virtdefault: String(isVirtDefault(storageClass)),
    rwx: String(isRwx),
    smartclone: String(isSmartClone),
    // On one machine, the kernel copies a disk, or shares its blocks: there is no better class.
    degraded: String(!isRwx || (!isSmartClone && status.provisioner !== localProvisioner)),
  }
}

function isComplete({ accessModes, volumeMode }: ClaimPropertySet): boolean {
  return accessModes.length > 0 && volumeMode !== ''
}

/** CDI's values: 1 is ready, 0 is not, and -1 says that there is nothing to be ready. */
function readinessOf(installations: readonly CDI[]): number {
  const [cdi] = installations
  if (cdi === undefined) return -1
  return isTrue(cdi.status?.conditions, 'Available') || isTrue(cdi.status?.conditions, 'Progressing') ? 1 : 0
}
