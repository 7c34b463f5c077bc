import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { found } from '#client/found.ts'
import type { Ports } from '../ports.ts'
import { claimNameOf, dataVolumeNameOf, noStorage, storageStatus, type StorageStatus } from './volume-status.ts'

/**
 * Reads the storage of a VMI that has not started. Claims come from the cache; DataVolumes are read
 * from the API where a volume names one or a claim has one as owner. Clusters without CDI have
 * none.
 */
export async function observeStorage(
  { client, claims }: Pick<Ports, 'client' | 'claims'>,
  vmi: VirtualMachineInstance,
): Promise<StorageStatus> {
  const { namespace = '' } = vmi.metadata
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => claimNameOf(volume) !== undefined)
  if (volumes.length === 0) return noStorage
  const names = new Set(volumes.flatMap((volume) => dataVolumeNameOf(volume, claims.get(namespace, claimNameOf(volume) ?? '')) ?? []))
  const known = new Map<string, DataVolume | undefined>(
    await Promise.all([...names].map(async (name) => [name, await found(client.get(dataVolumes, { namespace, name }))] as const)),
  )
  return storageStatus(vmi, { claim: (name) => claims.get(namespace, name), dataVolume: (name) => known.get(name) })
}
