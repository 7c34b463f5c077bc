import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumes } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { FillWait } from '../fill/decide-fill.ts'

/**
 * Gives the volume of `prime` to `target`: Kubernetes binds a claim to the volume that names it.
 * Returns why it cannot. The volume is only taken from `prime`.
 */
export async function rebind(
  client: Pick<Client, 'get' | 'patch'>,
  prime: PersistentVolumeClaim,
  target: PersistentVolumeClaim,
): Promise<FillWait | undefined> {
  const volumeName = prime.spec?.volumeName ?? ''
  const volume = volumeName === '' ? undefined : await found(client.get(persistentVolumes, { name: volumeName }))
  if (volume === undefined)
    return {
      reason: 'VolumeLost',
      message: `The PersistentVolume "${volumeName}" of PVC ${prime.metadata.name ?? ''} is gone: delete that PVC to begin again`,
    }
  const owner = volume.spec?.claimRef?.uid
  const { namespace, name, uid, resourceVersion } = target.metadata
  if (owner === uid) return undefined
  if (owner !== prime.metadata.uid)
    return {
      reason: 'VolumeTaken',
      message: `The PersistentVolume "${volumeName}" is bound to another claim than PVC ${prime.metadata.name ?? ''}`,
    }
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
  await patchIfUnchanged(client, persistentVolumes, volume, { spec: { claimRef } })
  return undefined
}
