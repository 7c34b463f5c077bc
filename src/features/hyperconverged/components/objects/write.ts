import { namespaces } from '#api/core/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { addressOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { WriteStep } from '../../reconcile/decide.ts'
import { labelsOf, operatorName } from '../../names.ts'
import type { ManagedKind } from '../rendering/components.ts'
import { withValueAt } from '../../value-at.ts'
import type { ComponentObject } from '../../reconcile/observe.ts'

/** The present object would be in the way of trying out the one that follows it. */
function underAnotherName(object: KubeObject): KubeObject {
  const { name = '' } = object.metadata ?? {}
  return { ...object, metadata: { ...object.metadata, name: `${name.slice(0, 50)}-edited` } }
}

/**
 * Writes the object of a component, and returns it unless it was removed. One field manager owns
 * what it applies: a field that is not rendered any more is removed.
 */
export async function writeComponent(
  client: Pick<Client, 'patch' | 'delete'>,
  resource: ResourceType<ComponentObject>,
  step: WriteStep,
  options: { readonly signal: AbortSignal; readonly dryRun?: true },
): Promise<ComponentObject | undefined> {
  const apply = (body: KubeObject): Promise<ComponentObject> =>
    client.patch(resource, addressOf(body), { type: 'apply', body, fieldManager: operatorName, force: true }, options)
  if (step.kind === 'apply') {
    if (step.removed.length === 0) return apply(step.object)
    const without = (object: object): Promise<ComponentObject> => {
      const body = step.removed.reduce<unknown>((made, path) => withValueAt(made, path, null), object) as object
      return client.patch(resource, addressOf(step.object), { type: 'merge', body }, { fieldManager: operatorName, ...options })
    }
    // One request decides in a dry run: the second would not see what the first one has removed.
    if (options.dryRun === true) return without(step.object)
    await without({})
    return apply(step.object)
  }
  if (step.kind === 'replace' && options.dryRun === true) return apply(underAnotherName(step.next))
  const { object } = step
  const { uid = '' } = object.metadata ?? {}
  await client.delete(resource, addressOf(object), { preconditions: { uid }, ...options }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return undefined
}

/** Creates the namespace of an object, unless it is there. */
export async function applyNamespace(
  client: Pick<Client, 'patch'>,
  { namespace = '', part }: Pick<ManagedKind, 'namespace' | 'part'>,
  signal: AbortSignal,
): Promise<void> {
  const body = { apiVersion: 'v1', kind: namespaces.kind, metadata: { name: namespace, labels: labelsOf(part) } }
  await client.patch(namespaces, { name: namespace }, { type: 'apply', body, fieldManager: operatorName, force: true }, { signal })
}
