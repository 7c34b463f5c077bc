import { addressOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { WriteStep } from '../reconcile/decide.ts'
import { operatorName } from '../names.ts'
import type { ComponentObject } from '../reconcile/observe.ts'

/**
 * Writes the object of a component, and returns it unless it was removed. One field manager owns
 * what it applies: a field that is not rendered any more is removed.
 */
export async function writeComponent(
  client: Pick<Client, 'patch' | 'delete'>,
  resource: ResourceType<ComponentObject>,
  { kind, object }: WriteStep,
  options: { readonly signal: AbortSignal; readonly dryRun?: true },
): Promise<ComponentObject | undefined> {
  if (kind === 'apply')
    return client.patch(resource, addressOf(object), { type: 'apply', body: object, fieldManager: operatorName, force: true }, options)
  const { uid = '' } = object.metadata ?? {}
  await client.delete(resource, addressOf(object), { preconditions: { uid }, ...options }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return undefined
}
