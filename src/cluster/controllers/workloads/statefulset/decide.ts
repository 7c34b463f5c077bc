import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { StatefulSet, StatefulSetStatus } from '#api/apps/v1/stateful-set.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { isAvailable, isReady, isTerminating, nextAvailabilityMs } from '../pods/pod-state.ts'
import { claimName, claimsOf, ownersOf } from './claims.ts'
import { nextStep, noStep, type Step } from './next-step.ts'
import { ordinalOf, wantedOrdinals } from './ordinals.ts'
import { revisionOf, statefulPod } from './stateful-pod.ts'

/** Input of {@link decideStatefulSet}. */
export interface StatefulSetObservation {
  readonly statefulSet: StatefulSet
  readonly pods: readonly Pod[]
  /** All claims of the namespace that may be of its pods, by name. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>
  /** Revision that a roll-out comes from, and the one that it leads to. */
  readonly current: ControllerRevision
  readonly update: ControllerRevision
  /** The cache shows all earlier writes of this controller. */
  readonly settled: boolean
}

/** Writes that a StatefulSet needs, and its status. */
export interface StatefulSetDecision {
  /** Claims to create, before the pods that use them. */
  readonly claims: readonly PersistentVolumeClaim[]
  /** Claims that get other owners, before pods are deleted: the last owner takes them with it. */
  readonly owners: readonly { readonly claim: PersistentVolumeClaim; readonly owners: readonly OwnerReference[] }[]
  readonly create: readonly Pod[]
  readonly remove: readonly Pod[]
  /** Those of `remove` that have ended by themselves. */
  readonly ended: readonly Pod[]
  /** Without conditions. */
  readonly status: StatefulSetStatus
  readonly recheckAfterMs: number | undefined
}

/** Decides which pod is next, with its claims. Pure. */
export function decideStatefulSet(observed: StatefulSetObservation, now: number): StatefulSetDecision {
  const { statefulSet, pods, claims, current, update, settled } = observed
  const { minReadySeconds = 0 } = statefulSet.spec
  const acts = settled && !isBeingDeleted(statefulSet)
  const step = acts ? nextStep(statefulSet, pods, update.metadata.name ?? '', now) : noStep
  const wanted = acts ? claimsToCreate(statefulSet, pods, step) : []
  // Its successor could not be told from a claim that is being deleted.
  const isLeaving = (claim: PersistentVolumeClaim): boolean => isBeingDeleted(claims.get(claim.metadata.name ?? '') ?? { metadata: {} })
  const ready = step.create.filter((ordinal) => !claimsOf(statefulSet, ordinal).some(isLeaving))
  return {
    claims: wanted.filter(({ metadata }) => !claims.has(metadata.name ?? '')),
    owners: acts ? ownersToSet(statefulSet, pods, claims) : [],
    create: ready.map((ordinal) => statefulPod(statefulSet, revisionFor(statefulSet, ordinal, current, update), ordinal)),
    remove: step.remove,
    ended: step.ended,
    status: statusOf(observed, now),
    recheckAfterMs: nextAvailabilityMs(
      pods.filter((pod) => !isTerminating(pod)),
      minReadySeconds,
      now,
    ),
  }
}

/** Claims of new pods, and those that a pod waits for because they were deleted. */
function claimsToCreate(statefulSet: StatefulSet, pods: readonly Pod[], step: Step): readonly PersistentVolumeClaim[] {
  const waiting = pods.filter((pod) => pod.status?.phase === 'Pending' && !isTerminating(pod) && (pod.spec.nodeName ?? '') === '')
  const ordinals = [...step.create, ...waiting.flatMap((pod) => ordinalOf(statefulSet, pod) ?? [])]
  return ordinals.flatMap((ordinal) => claimsOf(statefulSet, ordinal))
}

function ownersToSet(
  statefulSet: StatefulSet,
  pods: readonly Pod[],
  claims: ReadonlyMap<string, PersistentVolumeClaim>,
): StatefulSetDecision['owners'] {
  const { volumeClaimTemplates = [] } = statefulSet.spec
  if (volumeClaimTemplates.length === 0) return []
  const podOf = new Map(pods.map((pod) => [ordinalOf(statefulSet, pod) ?? -1, pod]))
  const ordinals = new Set([...wantedOrdinals(statefulSet), ...podOf.keys()])
  return [...ordinals].flatMap((ordinal) =>
    volumeClaimTemplates.flatMap((template) => {
      const claim = claims.get(claimName(statefulSet, template, ordinal))
      const owners = claim === undefined ? undefined : ownersOf(statefulSet, claim, ordinal, podOf.get(ordinal))
      return claim === undefined || owners === undefined ? [] : [{ claim, owners }]
    }),
  )
}

/** Below the partition a pod that is made again stays what it was. */
function revisionFor({ spec }: StatefulSet, ordinal: number, current: ControllerRevision, update: ControllerRevision): ControllerRevision {
  const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {}
  const first = (spec.ordinals?.start ?? 0) + (rollingUpdate?.partition ?? 0)
  return type === 'RollingUpdate' && ordinal < first ? current : update
}

function statusOf({ statefulSet, pods, current, update }: StatefulSetObservation, now: number): StatefulSetStatus {
  const { metadata, spec, status } = statefulSet
  const { replicas = 1, minReadySeconds = 0, updateStrategy } = spec
  const running = pods.filter((pod) => pod.status?.phase === 'Running')
  const count = ({ metadata: { name } }: ControllerRevision): number =>
    pods.filter((pod) => !isTerminating(pod) && revisionOf(pod) === name).length
  const ready = running.filter(isReady).length
  const updated = count(update)
  const isComplete = [updated, ready, pods.length].every((number) => number === replicas)
  const from = isComplete && updateStrategy?.type !== 'OnDelete' ? update : current
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: running.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: count(from),
    updatedReplicas: updated,
    currentRevision: from.metadata.name ?? '',
    updateRevision: update.metadata.name ?? '',
    observedGeneration: metadata.generation ?? 0,
    collisionCount: status?.collisionCount ?? 0,
  }
}
