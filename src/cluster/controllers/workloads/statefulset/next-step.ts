import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isAvailable, isOver, isTerminating } from '../pods/pod-state.ts'
import { ordinalOf, wantedOrdinals } from './ordinals.ts'
import { revisionOf } from './stateful-pod.ts'

/** Pods to create and to delete now. */
export interface Step {
  readonly create: readonly number[]
  readonly remove: readonly Pod[]
  /** Those of `remove` that have ended by themselves. */
  readonly ended: readonly Pod[]
}

/** Nothing to do, or nothing that may be done yet. */
export const noStep: Step = { create: [], remove: [], ended: [] }

/**
 * The next step. With OrderedReady one pod at a time, and only when all before it are available:
 *
 *     1. pods that are missing or have ended, from the lowest ordinal
 *     2. pods that are too many, from the highest
 *     3. pods of an old revision, from the highest, down to the partition
 *
 * Parallel does all of 1 and 2 at once. Pure.
 */
export function nextStep(statefulSet: StatefulSet, pods: readonly Pod[], updateRevision: string, now: number): Step {
  const { spec } = statefulSet
  const isOrdered = spec.podManagementPolicy !== 'Parallel'
  const isFine = (pod: Pod): boolean => serves(pod) && isAvailable(pod, spec.minReadySeconds ?? 0, now)
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(statefulSet, pod) ?? -1, pod]))
  const wanted = wantedOrdinals(statefulSet).map((ordinal) => ({ ordinal, pod: byOrdinal.get(ordinal) }))
  const surplus = [...byOrdinal]
    .filter(([ordinal]) => !wanted.some((slot) => slot.ordinal === ordinal))
    .toSorted(([a], [b]) => b - a)
    .map(([, pod]) => pod)
  if (!isOrdered) {
    const repairs = wanted.map(repair)
    const leaving = surplus.filter((pod) => !isTerminating(pod))
    const step = { ...merge(repairs), remove: [...merge(repairs).remove, ...leaving] }
    if (step.create.length + step.remove.length > 0) return step
  } else {
    for (const slot of wanted) {
      if (slot.pod !== undefined && isFine(slot.pod)) continue
      return repair(slot)
    }
    const [last] = surplus
    if (last !== undefined) return scaleDown(last, surplus, isFine)
  }
  return spec.updateStrategy?.type === 'OnDelete' ? noStep : replaceOne(statefulSet, wanted, updateRevision, isFine)
}

interface Slot {
  readonly ordinal: number
  readonly pod: Pod | undefined
}

function repair({ ordinal, pod }: Slot): Step {
  if (pod === undefined) return { ...noStep, create: [ordinal] }
  return isOver(pod) && !isTerminating(pod) ? { ...noStep, remove: [pod], ended: [pod] } : noStep
}

function merge(steps: readonly Step[]): Step {
  return {
    create: steps.flatMap(({ create }) => create),
    remove: steps.flatMap(({ remove }) => remove),
    ended: steps.flatMap(({ ended }) => ended),
  }
}

/** The last pod goes, unless another one does not serve: then it might be needed. */
function scaleDown(last: Pod, surplus: readonly Pod[], isFine: (pod: Pod) => boolean): Step {
  const lowestSick = surplus.findLast((pod) => !isFine(pod))
  if (isTerminating(last) || (lowestSick !== undefined && lowestSick !== last)) return noStep
  return { ...noStep, remove: [last] }
}

function replaceOne({ spec }: StatefulSet, wanted: readonly Slot[], updateRevision: string, isFine: (pod: Pod) => boolean): Step {
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0
  for (const { pod } of wanted.slice(partition).toReversed()) {
    if (pod === undefined) return noStep
    if (revisionOf(pod) !== updateRevision && !isTerminating(pod)) return { ...noStep, remove: [pod] }
    if (!isFine(pod)) return noStep
  }
  return noStep
}

function serves(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && !isTerminating(pod)
}
