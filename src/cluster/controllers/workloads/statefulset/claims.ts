import { statefulSets } from '#api/apps/v1/resources.ts'
import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { wantedOrdinals } from './ordinals.ts'

/** Name of the claim that a pod has of a template. */
export function claimName({ metadata }: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata.name ?? ''}-${metadata.name ?? ''}-${ordinal}`
}

/** The claims of the pod with an ordinal. Pure. */
export function claimsOf(statefulSet: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { metadata, spec } = statefulSet
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: metadata.namespace ?? '',
      name: claimName(statefulSet, template, ordinal),
      labels: { ...template.metadata.labels, ...spec.selector.matchLabels },
      ...(template.metadata.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ...(isDeletedWithSet(statefulSet) ? { ownerReferences: [controllerReference(statefulSets, statefulSet)] } : {}),
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }))
}

/**
 * Owners that a claim should have, by the retention policy: with whom it is to be deleted.
 * Undefined when it has them. Pure.
 *
 *     whenScaled Delete, and the pod is one too many   the pod
 *     whenDeleted Delete                               the StatefulSet
 */
export function ownersOf(
  statefulSet: StatefulSet,
  claim: PersistentVolumeClaim,
  ordinal: number,
  pod: Pod | undefined,
): readonly OwnerReference[] | undefined {
  const old = claim.metadata.ownerReferences ?? []
  const { whenScaled } = statefulSet.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const goesWithPod = whenScaled === 'Delete' && !wantedOrdinals(statefulSet).includes(ordinal)
  // Without the pod nothing can be said of references to it: those that are there stay.
  const others = old.filter(({ kind, uid, name }) => {
    const isSet = uid === statefulSet.metadata.uid
    const isPod = kind === 'Pod' && name === `${statefulSet.metadata.name ?? ''}-${ordinal}` && (pod !== undefined || !goesWithPod)
    return !isSet && !isPod
  })
  const ofPod = goesWithPod && pod !== undefined ? [podReference(pod)] : []
  const ofSet = !goesWithPod && isDeletedWithSet(statefulSet) ? [controllerReference(statefulSets, statefulSet)] : []
  const owners = [...others, ...ofPod, ...ofSet]
  return deepEqual(uids(owners), uids(old)) ? undefined : owners
}

function isDeletedWithSet({ spec }: StatefulSet): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'
}

function podReference({ metadata }: Pod): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: metadata.name ?? '', uid: metadata.uid ?? '' }
}

function uids(owners: readonly OwnerReference[]): readonly string[] {
  return owners.map(({ uid }) => uid).toSorted()
}
