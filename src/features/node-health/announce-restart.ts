import { nodes } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { timestamp } from '#runtime/clock.ts'
import { healthNames } from './names.ts'

/**
 * For so long (milliseconds) a node may be without its agent when that is replaced: the image of
 * the new one may have a long way.
 */
const plannedMs = 15 * 60_000

/**
 * Says on a node that its agent is about to be replaced, so that its silence is not taken for the
 * end of its guests. Written before the agent is ended, whoever dies in between has announced what
 * does not come, which costs some minutes of patience at worst. A node that is not there is passed
 * over.
 */
export async function announceRestart(client: Pick<Client, 'patch'>, nodeName: string, nowMs: number, signal: AbortSignal): Promise<void> {
  const annotations = { [healthNames.plannedAnnotation]: timestamp(nowMs + plannedMs) }
  try {
    await client.patch(nodes, { name: nodeName }, { type: 'merge', body: { metadata: { annotations } } }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
