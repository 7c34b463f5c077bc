import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { decideFill, isFilled, type FillObservation, type FillStep, type FillWait } from '../fill/decide-fill.ts'
import { names } from '../names.ts'

/** A claim that names its content, and the claim that is filled in its place. */
export interface PopulationObservation extends Omit<FillObservation, 'claim' | 'bindsAtOnce'> {
  readonly target: PersistentVolumeClaim
  /** The claim that is filled; undefined until it is made. */
  readonly prime: PersistentVolumeClaim | undefined
  /** The target shall get its volume now: its first pod is scheduled, or is not waited for. */
  readonly isWanted: boolean
}

/**
 * What to do for a claim that names its content.
 *
 *     await | awaitConsumer ─createPrime→ fill … fill ─rebind→ removePrime → none
 */
export type PopulationStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'await'; readonly wait: FillWait }
  | { readonly kind: 'awaitConsumer' }
  /** The claim has a volume with content of others, or none, which it must not lose. */
  | { readonly kind: 'leave'; readonly wait: FillWait }
  | { readonly kind: 'createPrime' }
  /** `claim`: the one that is filled. It is the target if a provisioner has ignored its source. */
  | { readonly kind: 'fill'; readonly claim: PersistentVolumeClaim; readonly step: FillStep }
  /** The content is complete: the volume becomes that of the target. */
  | { readonly kind: 'rebind'; readonly prime: PersistentVolumeClaim }
  | { readonly kind: 'removePrime'; readonly prime: PersistentVolumeClaim }

/** Decides what to do for a claim that names its content. Pure. */
export function decidePopulation(observed: PopulationObservation): PopulationStep {
  const { target, prime, obstacle, isWanted } = observed
  if (isBeingDeleted(target) || target.status?.phase === 'Lost') return { kind: 'none' }
  if ((target.spec?.volumeName ?? '') !== '') return decideBound(observed)
  if (prime === undefined) {
    if (obstacle !== undefined) return { kind: 'await', wait: obstacle }
    return isWanted ? { kind: 'createPrime' } : { kind: 'awaitConsumer' }
  }
  if (!isControlledBy(prime, target)) {
    const message = `PVC ${prime.metadata.name ?? ''} exists and belongs to another object: delete it`
    return { kind: 'await', wait: { reason: 'ErrResourceExists', message } }
  }
  if (isBeingDeleted(prime)) return { kind: 'none' }
  const step = decideFill({ ...observed, claim: prime, bindsAtOnce: true })
  // The volume is taken from no pod.
  const isFree = step.kind === 'filled' && (step.pod === undefined || isRetained(target))
  return isFree ? { kind: 'rebind', prime } : { kind: 'fill', claim: prime, step }
}

/**
 * Decides for a target that has a volume. Provisioners without CSI ignore what a claim names, and
 * make an empty volume for it: that is filled as it is. Other volumes come from an administrator or
 * a backup, and are left alone, with an event.
 */
function decideBound(observed: PopulationObservation): PopulationStep {
  const { target, prime } = observed
  if (prime !== undefined) return isRetained(target) || isBeingDeleted(prime) ? { kind: 'none' } : { kind: 'removePrime', prime }
  const { name = '', uid = '' } = target.metadata
  const { volumeName = '' } = target.spec ?? {}
  if (volumeName !== `pvc-${uid}`) {
    if (isFilled(target)) return { kind: 'none' }
    const message = `PVC ${name} has got the PersistentVolume ${volumeName} before it was filled, which is left as it is`
    return { kind: 'leave', wait: { reason: 'VolumeNotFilled', message } }
  }
  return { kind: 'fill', claim: target, step: decideFill({ ...observed, claim: target, bindsAtOnce: true }) }
}

/** The pod of the worker stays, so that its log can be read. */
function isRetained({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[names.retainPod] === 'true'
}
