import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf, isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { decideFill, type FillObservation, type FillStep, type FillWait } from './fill/decide-fill.ts'
import { names } from './names.ts'
import { isPopulatedOutside } from './source/source.ts'

/** A DataVolume with its claim and its worker. */
export interface Observed extends Omit<FillObservation, 'claim'> {
  readonly dataVolume: DataVolume
  readonly claim: PersistentVolumeClaim | undefined
  /** Why no claim can be made of the DataVolume yet. */
  readonly claimProblem: string | undefined
  /** Claims that exist may be taken over, for all DataVolumes. */
  readonly adoptsClaims: boolean
}

/** What to do for a DataVolume. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'createClaim' }
  /** Take over a claim that has its content. */
  | { readonly kind: 'adopt'; readonly claim: PersistentVolumeClaim }
  /** The claim cannot be made, or is not ours. */
  | { readonly kind: 'await'; readonly wait: FillWait }
  /** Another controller fills the claim. */
  | { readonly kind: 'watchClaim'; readonly claim: PersistentVolumeClaim }
  /** The claim of a DataVolume that has succeeded is gone, and its content with it. */
  | { readonly kind: 'lost'; readonly wait: FillWait }
  | { readonly kind: 'fill'; readonly claim: PersistentVolumeClaim; readonly step: FillStep }

/** Decides what to do for a DataVolume. Pure. */
export function decide(observed: Observed): Step {
  const { dataVolume, claim, claimProblem } = observed
  if (isBeingDeleted(dataVolume)) return { kind: 'none' }
  if (claim === undefined) {
    const { phase } = dataVolume.status ?? {}
    const { name = '' } = dataVolume.metadata
    // A second import would look like the disk of the guest, without what the guest wrote.
    if (phase === 'Succeeded')
      return { kind: 'lost', wait: { reason: 'NotFound', message: `PVC ${name} was deleted, and its content with it` } }
    if (phase === 'Failed') return { kind: 'none' }
    if (observed.obstacle !== undefined) return { kind: 'await', wait: observed.obstacle }
    return claimProblem === undefined
      ? { kind: 'createClaim' }
      : { kind: 'await', wait: { reason: 'ErrClaimNotValid', message: claimProblem } }
  }
  if (!isControlledBy(claim, dataVolume)) return decideForeign(observed, claim)
  if (isPopulatedOutside(dataVolume.spec) || isTakenOver(claim, dataVolume)) return { kind: 'watchClaim', claim }
  return { kind: 'fill', claim, step: decideFill({ ...observed, claim }) }
}

function isTakenOver({ metadata }: PersistentVolumeClaim, dataVolume: DataVolume): boolean {
  const { annotations = {} } = metadata
  return [annotations[names.populatedFor], annotations[names.prePopulated]].includes(dataVolume.metadata.name)
}

/** Claims of others are only taken over when that is asked for. */
function decideForeign({ dataVolume, adoptsClaims }: Observed, claim: PersistentVolumeClaim): Step {
  const { name = '' } = claim.metadata
  if (isBeingDeleted(claim))
    return { kind: 'await', wait: { reason: 'ErrResourceMarkedForDeletion', message: `Resource "${name}" marked for deletion` } }
  const isFree = controllerOf(claim) === undefined
  if (isFree && (mayAdopt(dataVolume, adoptsClaims) || isTakenOver(claim, dataVolume))) return { kind: 'adopt', claim }
  return {
    kind: 'await',
    wait: { reason: 'ErrResourceExists', message: `Resource "${name}" already exists and is not managed by DataVolume` },
  }
}

/** Reports whether a DataVolume takes over a claim that exists. Its annotation wins. Pure. */
export function mayAdopt({ metadata }: DataVolume, otherwise: boolean): boolean {
  const annotation = metadata.annotations?.[names.allowAdoption]
  return annotation === undefined ? otherwise : ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(annotation)
}
