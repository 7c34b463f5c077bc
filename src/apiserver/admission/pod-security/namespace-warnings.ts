import type { Pod } from '#api/core/v1/pod.ts'
import { violationsOf } from './evaluate.ts'
import { describeStandard, type Standard } from './policy.ts'

/** Options of {@link summarizePods}. */
export interface PodsUnderStandard {
  readonly namespace: string
  readonly enforce: Standard
  readonly pods: readonly Pod[]
  /** Number of pods in the namespace; more than `pods` where only some are checked. */
  readonly total: number
}

/**
 * Returns warnings about existing pods that a namespace's new level would refuse, grouped by
 * reasons. Pure.
 */
export function summarizePods({ namespace, enforce, pods, total }: PodsUnderStandard): readonly string[] {
  const byReasons = new Map<string, string[]>()
  for (const pod of pods) {
    const reasons = violationsOf(pod, enforce)
      .map(({ reason }) => reason)
      .join(', ')
    if (reasons !== '') byReasons.getOrInsertComputed(reasons, () => []).push(pod.metadata.name ?? '')
  }
  const level = JSON.stringify(describeStandard(enforce))
  const partly =
    pods.length < total ? [`new PodSecurity enforce level only checked against the first ${pods.length} of ${total} existing pods`] : []
  if (byReasons.size === 0) return partly
  const lines = [...byReasons].map(([reasons, names]) => `${describePods(names.toSorted())}: ${reasons}`)
  return [
    ...partly,
    `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${level}`,
    ...lines.toSorted(),
  ]
}

function describePods([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`
}
