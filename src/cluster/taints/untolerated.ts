import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Taint } from '#api/core/v1/node.ts'
import { tolerates } from './tolerates.ts'

/** The first taint with one of the effects that nothing tolerates. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[], effects: readonly string[]): Taint | undefined {
  return taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)))
}
