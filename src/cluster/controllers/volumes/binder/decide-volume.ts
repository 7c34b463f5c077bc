import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import { names } from './names.ts'

/** Decision about a volume. */
export type VolumeDecision =
  | { readonly kind: 'phase'; readonly phase: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** Its claim has taken another one: it is free again. */
  | { readonly kind: 'unbind' }

/**
 * Decides about a volume. `claim` is what its claimRef stands for now, a namesake included;
 * undefined when there is none. `provisioner` is the name of the provisioner that removes its
 * volumes itself. Pure.
 */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined, provisioner: string): VolumeDecision {
  const { claimRef, persistentVolumeReclaimPolicy = 'Retain' } = volume.spec ?? {}
  if ((claimRef?.uid ?? '') === '') return { kind: 'phase', phase: 'Available' }
  const annotations = volume.metadata.annotations ?? {}
  if (claim === undefined || claim.metadata.uid !== claimRef?.uid) {
    if (persistentVolumeReclaimPolicy === 'Retain' || annotations[names.provisionedBy] !== undefined)
      return { kind: 'phase', phase: 'Released' }
    return { kind: 'failed', message: unremovable(volume, persistentVolumeReclaimPolicy) }
  }
  const taken = claim.spec?.volumeName ?? ''
  if (taken === volume.metadata.name) return { kind: 'phase', phase: 'Bound' }
  // The binding of the claim is under way.
  if (taken === '') return { kind: 'phase', phase: volume.status?.phase ?? 'Pending' }
  if (annotations[names.provisionedBy] === provisioner && persistentVolumeReclaimPolicy === 'Delete')
    return { kind: 'phase', phase: 'Released' }
  return { kind: 'unbind' }
}

function unremovable({ metadata }: PersistentVolume, policy: string): string {
  const plugin = policy === 'Recycle' ? 'recyclable' : 'deletable'
  return `error getting ${plugin === 'recyclable' ? 'recycler' : 'deleter'} volume plugin for volume ${JSON.stringify(metadata.name)}: no ${plugin} volume plugin matched`
}
