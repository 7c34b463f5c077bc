import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { found } from '#client/found.ts'
import { configName, overheadOf } from '#features/storage-profile/index.ts'
import type { Ports } from '../ports.ts'
import {
  claimNameOf,
  dataVolumeNameOf,
  defaultOverhead,
  noStorage,
  storageStatus,
  type StorageObjects,
  type StorageStatus,
} from './volume-status.ts'

/**
 * Reads the storage of a VMI that has not started, or of some of its volumes. Claims come from the
 * cache; DataVolumes are read from the API where a volume names one or a claim has one as owner.
 * Clusters without CDI have none.
 */
export async function observeStorage(
  ports: Pick<Ports, 'client' | 'claims' | 'configs'>,
  vmi: VirtualMachineInstance,
): Promise<StorageStatus> {
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => claimNameOf(volume) !== undefined)
  return volumes.length === 0 ? noStorage : storageStatus(vmi, await readObjects(ports, vmi, volumes))
}

/** Reads the claims and DataVolumes of volumes. */
export async function readObjects(
  { client, claims, configs }: Pick<Ports, 'client' | 'claims' | 'configs'>,
  { metadata: { namespace = '' } }: VirtualMachineInstance,
  volumes: readonly Volume[],
): Promise<StorageObjects> {
  const names = new Set(volumes.flatMap((volume) => dataVolumeNameOf(volume, claims.get(namespace, claimNameOf(volume) ?? '')) ?? []))
  const known = new Map<string, DataVolume | undefined>(
    await Promise.all([...names].map(async (name) => [name, await found(client.get(dataVolumes, { namespace, name }))] as const)),
  )
  return { claim: (name) => claims.get(namespace, name), dataVolume: (name) => known.get(name), overhead: overheadIn(configs) }
}

/** Returns the share of a claim that its file system needs, by its storage class. */
export function overheadIn(configs: Ports['configs']): StorageObjects['overhead'] {
  const reserved = configs.get('', configName)?.status?.filesystemOverhead
  return (storageClass) => overheadOf(reserved, storageClass, defaultOverhead)
}
