import type { Node } from '#api/core/v1/node.ts'
import { healthNames } from '#features/node-health/index.ts'
import { names } from '#features/vmi/index.ts'

/**
 * Returns the milliseconds until the agent of a node counts as silent: 0 if it does, Infinity while
 * it is there. An agent that ends marks its node unschedulable for guests, and removes the mark
 * with its next heartbeat. One that is being replaced continues its migrations when it is back, and
 * is awaited as long as was announced. The agent of a deleted node never returns. Pure.
 */
export function msUntilSilent(node: Node | undefined, nowMs: number): number {
  if (node === undefined) return 0
  if (!isMarked(node)) return Infinity
  const announced = Date.parse(node.metadata.annotations?.[healthNames.plannedAnnotation] ?? '')
  return Number.isNaN(announced) ? 0 : Math.max(0, announced - nowMs)
}

/** Reports whether a node is marked unschedulable for guests because its agent is not there. */
export function isMarked({ metadata }: Node): boolean {
  return metadata.labels?.[names.schedulableLabel] === 'false'
}
