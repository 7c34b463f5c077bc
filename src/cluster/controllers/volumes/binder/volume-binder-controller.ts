import { nodes, persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { bind, setClaimStatus, setVolumePhase } from './bind.ts'
import { type ClaimEvent, decideClaim } from './decide-claim.ts'
import { decideVolume } from './decide-volume.ts'
import { names } from './names.ts'
import { classOf } from './volume-match.ts'

/** Dependencies of the volume binder. */
export interface VolumeBinderOptions extends ControllerOptions {
  readonly recorder: Recorder
  /** Name of the provisioner that removes its volumes itself. */
  readonly provisioner: string
}

/** Binds claims and volumes to each other. */
export function createVolumeBinder(options: VolumeBinderOptions): readonly Runnable[] {
  return [createClaimBinder(options), createVolumeKeeper(options)]
}

function createClaimBinder(options: VolumeBinderOptions): Runnable {
  const { client, informers, clock, log } = options
  const claimCache = informers.informer(persistentVolumeClaims)
  const volumeCache = informers.informer(persistentVolumes)
  const classCache = informers.informer(storageClasses)
  const nodeCache = informers.informer(nodes)

  // Claims are reconciled one at a time: two at once would choose the same volume, and one would
  // conflict.
  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const claim = claimCache.get(namespace, name)
    if (claim === undefined) return done
    const decision = decideClaim(claim, {
      volumes: volumeCache.list(),
      storageClass: classCache.get('', classOf(claim)),
      selectedNode: nodeCache.get('', claim.metadata.annotations?.[names.selectedNode] ?? ''),
    })
    switch (decision.kind) {
      case 'bind':
        await bind(client, claim, decision.volume, signal)
        return done
      case 'lose':
        if (claim.status?.phase !== 'Lost') recordEvent(options, claim, decision.event)
        await setClaimStatus(client, claim, { phase: 'Lost' }, signal)
        return done
      case 'wait':
        if (decision.event !== undefined) recordEvent(options, claim, decision.event)
        await setClaimStatus(client, claim, { ...claim.status, phase: 'Pending' }, signal)
        if (decision.provisioner !== undefined) await ask(client, claim, decision.provisioner, signal)
        return done
    }
  }
  const open = (): readonly Request[] => claimCache.list().filter(isOpen).flatMap(enqueueSelf)
  const sources = [
    watchResource(claimCache, enqueueSelf),
    watchResource(volumeCache, (volume) => [...ofVolume(volume), ...open()]),
    watchResource(classCache, open),
  ]
  return createController({ name: 'pvc-binder', reconciler, sources, clock, log })
}

function isOpen({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[names.bindCompleted] === undefined
}

function ofVolume({ spec }: PersistentVolume): readonly Request[] {
  const { namespace, name } = spec?.claimRef ?? {}
  return namespace === undefined || name === undefined ? [] : [{ namespace, name }]
}

/** Names on the claim who is to make a volume. Events come after: provisioners look for this. */
async function ask(client: Client, claim: PersistentVolumeClaim, provisioner: string, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid, annotations = {} } = claim.metadata
  if (annotations[names.storageProvisioner] === provisioner) return
  const added = { [names.storageProvisioner]: provisioner, [names.betaStorageProvisioner]: provisioner }
  const body = { metadata: { uid, annotations: added } }
  await client.patch(persistentVolumeClaims, { namespace, name }, { type: 'merge', body }, { signal })
}

function recordEvent({ recorder }: VolumeBinderOptions, claim: PersistentVolumeClaim, { type, reason, message }: ClaimEvent): void {
  recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, type, reason, message)
}

function createVolumeKeeper(options: VolumeBinderOptions): Runnable {
  const { client, informers, clock, log, provisioner } = options
  const claimCache = informers.informer(persistentVolumeClaims)
  const volumeCache = informers.informer(persistentVolumes)
  volumeCache.addIndex('pv-keeper.claim', (volume) => ofVolume(volume).map(({ namespace, name }) => `${namespace}/${name}`))

  const reconciler: Reconciler = async ({ name }, { signal }) => {
    const volume = volumeCache.get('', name)
    if (volume === undefined) return done
    const [key] = ofVolume(volume)
    const cached = key === undefined ? undefined : claimCache.get(key.namespace, key.name)
    // The cache may lag behind, and data is at stake: only the API server knows that a claim is
    // gone.
    const claim = key === undefined || cached?.metadata.uid === volume.spec?.claimRef?.uid ? cached : await findClaim(client, key, signal)
    const decision = decideVolume(volume, claim, provisioner)
    if (decision.kind === 'unbind') await unbind(client, volume, signal)
    else if (decision.kind === 'phase') await setVolumePhase(client, volume, { phase: decision.phase }, signal)
    else await setVolumePhase(client, volume, { phase: 'Failed', message: decision.message }, signal)
    return done
  }
  const ofClaim = ({ metadata }: PersistentVolumeClaim): readonly Request[] =>
    volumeCache.byIndex('pv-keeper.claim', `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf)
  const sources = [watchResource(volumeCache, enqueueSelf), watchResource(claimCache, ofClaim)]
  return createController({ name: 'pv-keeper', reconciler, sources, clock, log })
}

function findClaim(client: Client, { namespace, name }: Request, signal: AbortSignal): Promise<PersistentVolumeClaim | undefined> {
  return found(client.get(persistentVolumeClaims, { namespace, name }, { signal }))
}

/** Removes the claimRef that this controller wrote; of one that a user wrote, only the uid. */
async function unbind(client: Client, { metadata, spec }: PersistentVolume, signal: AbortSignal): Promise<void> {
  const isOurs = metadata.annotations?.[names.boundByController] !== undefined
  const claimRef = isOurs ? null : { ...spec?.claimRef, uid: null, resourceVersion: null }
  const body = {
    metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, annotations: { [names.boundByController]: null } },
    spec: { claimRef },
  }
  await client.patch(persistentVolumes, { name: metadata.name ?? '' }, { type: 'merge', body }, { signal })
}
