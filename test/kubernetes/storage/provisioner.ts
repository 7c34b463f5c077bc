import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Quantity } from '#api/scalars.ts'
import type { Client } from '#client/client.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Folders } from '../settings.ts'
import { annotations, modeOf, persistentVolumeOf, provisionerName, volumeNameOf } from './persistent-volume.ts'
import { copyVolume, ensureVolume, pathOf, removeVolume } from './volumes.ts'

/** Milliseconds after which the source of a copy is looked at again. */
const sourceMs = 500

/** Dependencies of {@link createProvisioner}. */
export interface ProvisionerOptions extends SharedControllerOptions {
  readonly client: Client
  readonly folders: Folders
}

/**
 * Makes volumes for claims, also as copies of other claims, expands them, and removes them, as the
 * sidecars of a CSI driver do. Claims that name other content are for other controllers.
 */
export function createProvisioner(options: ProvisionerOptions): readonly Runnable[] {
  const { client, folders, informers } = options
  const claims = informers.informer(persistentVolumeClaims)
  const volumes = informers.informer(persistentVolumes)

  const provision: Reconciler = async ({ namespace, name }) => {
    const claim = claims.get(namespace, name)
    if (claim === undefined || isBeingDeleted(claim)) return done
    const { volumeName = '', dataSourceRef, dataSource = dataSourceRef } = claim.spec ?? {}
    if (volumeName !== '') {
      const volume = volumes.get('', volumeName)
      if (volume !== undefined && isOurs(volume)) await expand(options, claim, volume)
      return done
    }
    if (claim.metadata.annotations?.[annotations.provisioner] !== provisionerName) return done
    let source: PersistentVolume | undefined
    if (dataSource !== undefined) {
      if (dataSource.kind !== 'PersistentVolumeClaim') return done
      source = volumes.get('', claims.get(namespace, dataSource.name)?.spec?.volumeName ?? '')
      if (source?.status?.phase !== 'Bound') return recheckIn(sourceMs)
    }
    const made = { name: volumeNameOf(claim), mode: modeOf(claim) }
    await ensureVolume(folders, made, bytesOf(claim.spec?.resources?.requests?.['storage']))
    if (source !== undefined) await copyVolume(folders, { name: source.metadata.name ?? '', mode: modeOf(source) }, made)
    // Where the volume waits for its first pod, the node of that; a copy is where its source is.
    const node = claim.metadata.annotations[annotations.selectedNode]
    await client.create(persistentVolumes, persistentVolumeOf(claim, pathOf(folders, made), node)).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
    return done
  }

  const remove: Reconciler = async ({ name }) => {
    const volume = volumes.get('', name)
    if (volume === undefined || !isOurs(volume) || volume.status?.phase !== 'Released') return done
    await removeVolume(folders, { name, mode: modeOf(volume) })
    await client.delete(persistentVolumes, { name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    return done
  }

  const sources = { claims: [watchResource(claims, enqueueSelf)], volumes: [watchResource(volumes, enqueueSelf)] }
  return [
    createController({ ...options, name: 'provision', reconciler: provision, sources: sources.claims }),
    createController({ ...options, name: 'remove', reconciler: remove, sources: sources.volumes }),
  ]
}

/** Gives a claim the size that it requests by now. */
async function expand({ client, folders }: ProvisionerOptions, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const { namespace = '', name = '' } = claim.metadata
  const storage = claim.spec?.resources?.requests?.['storage']
  const isSmaller = (capacity: Quantity | undefined): boolean => bytesOf(capacity) < bytesOf(storage)
  if (claim.status?.phase !== 'Bound' || !isSmaller(claim.status.capacity?.['storage'])) return
  const { name: volumeName = '' } = volume.metadata
  await ensureVolume(folders, { name: volumeName, mode: modeOf(volume) }, bytesOf(storage))
  if (isSmaller(volume.spec?.capacity?.['storage']))
    await client.patch(persistentVolumes, { name: volumeName }, { type: 'merge', body: { spec: { capacity: { storage } } } })
  const body = { status: { capacity: { storage } } }
  await client.patch(persistentVolumeClaims, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
}

function isOurs({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[annotations.provisionedBy] === provisionerName
}

function bytesOf(quantity: Quantity | undefined): number {
  return Number(quantityToBytes(parseQuantity(quantity ?? '0')))
}
