import { compareQuantities, parseQuantity } from '#apimachinery/quantity.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { names } from '../binder/names.ts'
import {
  asksForContent,
  bytesOf,
  dataFinalizer,
  isBlock,
  localProvisioner,
  localStorageClass,
  provisionedVolume,
  unsupportedSource,
  volumeName,
} from './provisioned-volume.ts'
import type { VolumeStore } from './volume-store.ts'

/** Dependencies of the local provisioner. */
export interface LocalVolumeOptions extends ControllerOptions {
  readonly recorder: Recorder
  readonly volumes: VolumeStore
}

/**
 * Creates volumes for claims of its storage classes, expands them, and removes them with their
 * data. The PersistentVolume exists before and after the data: a crash leaves no data without an
 * object.
 */
export function createLocalVolumeController(options: LocalVolumeOptions): readonly Runnable[] {
  return [createProvisioner(options), createDataKeeper(options)]
}

function createProvisioner(options: LocalVolumeOptions): Runnable {
  const { client, informers, clock, log, recorder, volumes } = options
  const claimCache = informers.informer(persistentVolumeClaims)
  const volumeCache = informers.informer(persistentVolumes)
  const classCache = informers.informer(storageClasses)

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const claim = claimCache.get(namespace, name)
    if (claim === undefined || isBeingDeleted(claim)) return done
    const present = volumeCache.get('', claim.spec?.volumeName ?? '')
    if (present !== undefined) {
      await grow(options, claim, present, signal)
      return done
    }
    if (claim.metadata.annotations?.[names.storageProvisioner] !== localProvisioner || (claim.spec?.volumeName ?? '') !== '') return done
    const storageClass = classCache.get('', claim.spec?.storageClassName ?? '')
    if (storageClass === undefined || volumeCache.get('', volumeName(claim)) !== undefined) return done
    if (asksForContent(claim)) {
      const refusal = unsupportedSource(claim, storageClass)
      if (refusal !== undefined)
        recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'Warning', 'ProvisioningFailed', refusal)
      return done
    }
    const path = volumes.pathOf(volumeName(claim), isBlock(claim))
    try {
      await client.create(persistentVolumes, provisionedVolume(claim, storageClass, path), { signal })
    } catch (error) {
      if (isAlreadyExists(error)) return done
      throw error
    }
    const message = `Successfully provisioned volume ${volumeName(claim)}`
    recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'Normal', 'ProvisioningSucceeded', message)
    return done
  }
  const sources = [watchResource(claimCache, enqueueSelf), watchResource(classCache, () => claimCache.list().flatMap(enqueueSelf))]
  const controller = createController({ name: 'local-provisioner', reconciler, sources, concurrency: 4, clock, log })
  return {
    async run(signal) {
      await client.create(storageClasses, localStorageClass, { signal }).catch(ignorePresent)
      await controller.run(signal)
    },
  }
}

/**
 * Expands the PersistentVolume of a claim that requests more. The data keeper then grows the data.
 */
async function grow(
  { client }: LocalVolumeOptions,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<void> {
  const wanted = claim.spec?.resources?.requests?.['storage']
  const isOurs = volume.metadata.annotations?.[names.provisionedBy] === localProvisioner
  if (!isOurs || wanted === undefined || volume.spec?.claimRef?.uid !== claim.metadata.uid) return
  if (compareQuantities(parseQuantity(wanted), parseQuantity(volume.spec?.capacity?.['storage'] ?? '0')) <= 0) return
  const { name = '', uid, resourceVersion } = volume.metadata
  const body = { metadata: { uid, resourceVersion }, spec: { capacity: { storage: wanted } } }
  await client.patch(persistentVolumes, { name }, { type: 'merge', body }, { signal })
}

function createDataKeeper(options: LocalVolumeOptions): Runnable {
  const { client, informers, clock, log, volumes } = options
  const volumeCache = informers.informer(persistentVolumes)
  const reconciler: Reconciler = async ({ name }: Request, { signal }) => {
    const volume = volumeCache.get('', name)
    if (volume === undefined || volume.metadata.annotations?.[names.provisionedBy] !== localProvisioner) return done
    const { deletionTimestamp, uid } = volume.metadata
    const isReleased = volume.status?.phase === 'Released' && volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    if (deletionTimestamp === undefined && isReleased) {
      await client.delete(persistentVolumes, { name }, { preconditions: { uid: uid ?? '' }, signal }).catch(ignoreMissing)
    } else if (deletionTimestamp === undefined) {
      await volumes.ensure(name, isBlock(volume), bytesOf(volume))
    } else await remove(options, volume, signal)
    return done
  }
  return createController({
    name: 'local-volumes',
    reconciler,
    sources: [watchResource(volumeCache, enqueueSelf)],
    concurrency: 4,
    clock,
    log,
  })
}

/** Removes the data if the reclaim policy says so and no claim is bound, then the finalizer. */
async function remove({ client, volumes }: LocalVolumeOptions, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const { name = '', uid, resourceVersion, finalizers = [] } = volume.metadata
  if (!finalizers.includes(dataFinalizer) || volume.status?.phase === 'Bound') return
  if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete') await volumes.remove(name)
  const body = { metadata: { uid, resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== dataFinalizer) } }
  await client.patch(persistentVolumes, { name }, { type: 'merge', body }, { signal }).catch(ignoreMissing)
}

// An administrator may have changed the class, or made another one the default.
function ignorePresent(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
