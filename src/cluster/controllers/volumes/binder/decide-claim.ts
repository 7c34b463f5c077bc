import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { names } from './names.ts'
import { findVolume, isFor } from './volume-match.ts'

/** Input of {@link decideClaim}. */
export interface ClaimView {
  readonly volumes: readonly PersistentVolume[]
  /** The class that the claim names, if there is one. */
  readonly storageClass: StorageClass | undefined
  /** The node that the scheduler has chosen for the first pod of the claim. */
  readonly selectedNode: Node | undefined
}

/** Event of a claim. */
export interface ClaimEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Decision about a claim. */
export type ClaimDecision =
  /** Bind both, each step only where it is missing. */
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  /** Wait; `provisioner` is who is to make a volume. */
  | { readonly kind: 'wait'; readonly event?: ClaimEvent; readonly provisioner?: string }
  /** The bound volume no longer exists. */
  | { readonly kind: 'lose'; readonly event: ClaimEvent }

const noProvisioner = 'kubernetes.io/no-provisioner'

/** Decides about a claim. Pure. */
export function decideClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  const wanted = claim.spec?.volumeName ?? ''
  if (claim.metadata.annotations?.[names.bindCompleted] !== undefined) return decideBound(claim, wanted, view)
  if (wanted !== '') return decideNamed(claim, wanted, view)
  // A claim that is being deleted needs no volume.
  return !isBeingDeleted(claim) ? decideOpen(claim, view) : { kind: 'wait' }
}

function decideOpen(claim: PersistentVolumeClaim, { volumes, storageClass, selectedNode }: ClaimView): ClaimDecision {
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const kept = volumes.filter((volume) => volume.spec?.claimRef !== undefined)
  if (isDelayed && selectedNode === undefined) {
    const volume = findVolume(claim, kept, undefined)
    if (volume !== undefined) return { kind: 'bind', volume }
    const message = 'waiting for first consumer to be created before binding'
    return { kind: 'wait', event: { type: 'Normal', reason: 'WaitForFirstConsumer', message } }
  }
  const volume = findVolume(claim, volumes, selectedNode)
  if (volume !== undefined) return { kind: 'bind', volume }
  const provisioner = storageClass?.provisioner ?? noProvisioner
  if (provisioner === noProvisioner) return { kind: 'wait', event: nothingFound(claim, storageClass) }
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
  return { kind: 'wait', provisioner, event: { type: 'Normal', reason: 'ExternalProvisioning', message } }
}

function nothingFound(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): ClaimEvent {
  const name = claim.spec?.storageClassName ?? ''
  if (name !== '' && storageClass === undefined) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(name)} not found`
    return { type: 'Warning', reason: 'ProvisioningFailed', message }
  }
  return { type: 'Normal', reason: 'FailedBinding', message: 'no persistent volumes available for this claim and no storage class is set' }
}

/** The claim names its volume: its author chose it, or a binding was interrupted. */
function decideNamed(claim: PersistentVolumeClaim, wanted: string, { volumes }: ClaimView): ClaimDecision {
  const volume = volumes.find(({ metadata }) => metadata.name === wanted)
  if (volume === undefined) return { kind: 'wait' }
  if (volume.spec?.claimRef === undefined || isFor(volume, claim)) return { kind: 'bind', volume }
  const message = `volume ${JSON.stringify(wanted)} already bound to a different claim.`
  return { kind: 'wait', event: { type: 'Warning', reason: 'FailedBinding', message } }
}

function decideBound(claim: PersistentVolumeClaim, wanted: string, { volumes }: ClaimView): ClaimDecision {
  const volume = volumes.find(({ metadata }) => metadata.name === wanted)
  const lost = (reason: string, message: string): ClaimDecision => ({ kind: 'lose', event: { type: 'Warning', reason, message } })
  if (wanted === '') return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  if (volume === undefined) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  if (volume.spec?.claimRef === undefined || isFor(volume, claim)) return { kind: 'bind', volume }
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}
