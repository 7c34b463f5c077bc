import { nodes } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { healthNames } from './names.ts'

/**
 * Milliseconds that a node may be without agent while it is replaced: pulling the image may take
 * long.
 */
const plannedMs = 15 * 60_000

/**
 * Announces on a node that its agent is about to be replaced, so that a missing heartbeat is not
 * taken for a failure. Written before the pod is deleted: if the caller is killed in between, a
 * real failure is detected some minutes later. A node that is gone is skipped.
 */
export async function announceRestart(client: Pick<Client, 'patch'>, nodeName: string, nowMs: number, signal: AbortSignal): Promise<void> {
  const annotations = { [healthNames.plannedAnnotation]: timestamp(nowMs + plannedMs) }
  try {
    await client.patch(nodes, { name: nodeName }, { type: 'merge', body: { metadata: { annotations } } }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
