import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'

/** Condition to wait for; `describe` explains a time-out from the last state. */
export interface WaitCondition<T> {
  readonly holds: (object: T) => boolean
  readonly describe: (object: T | undefined) => string
  readonly timeoutMs: number
}

/** Polls an object until the condition holds. @throws CommandError with exit code 124 */
export async function waitFor<T extends KubeObject>(
  context: CliContext,
  client: Client,
  resource: ResourceType<T>,
  key: ObjectKey,
  wanted: WaitCondition<T>,
): Promise<T> {
  const deadline = context.now() + wanted.timeoutMs
  for (;;) {
    const object = await found(client.get(resource, key))
    if (object !== undefined && wanted.holds(object)) return object
    if (context.now() > deadline) {
      throw new CommandError(`Timed out after ${Math.round(wanted.timeoutMs / 1000)} s: ${wanted.describe(object)}`, EXIT.timeout)
    }
    await context.sleep(25)
  }
}
