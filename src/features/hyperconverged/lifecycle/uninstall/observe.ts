import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { isRendered } from '../../components/objects/rendered-hash.ts'
import { servedResourceOf, type ComponentObject } from '../../reconcile/observe.ts'
import { imageRightsKinds } from '../../components/boot-images/image-rights.ts'
import { importCronKind } from '../../components/boot-images/import-crons.ts'
import { builtInResource } from '../../components/objects/caches.ts'
import { workloadKinds } from '../../components/workloads/kinds.ts'
import { leftoverOf } from '../../components/workloads/workload-components.ts'
import { components, definitionName, type ManagedKind } from '../../components/rendering/components.ts'

/** An object that HyperConverged configures, and that is removed with it. */
export interface ManagedObject {
  readonly component: ManagedKind
  readonly resource: ResourceType<ComponentObject>
  readonly object: ComponentObject
}

/**
 * Reads the objects that the operator has applied from the API: one that a cache has not seen yet
 * would be left behind. Objects that it has not applied are not its to delete. A kind whose CRD is
 * being deleted counts, since its objects are still there.
 */
export async function observeManaged(
  client: Pick<Client, 'get' | 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ManagedObject[]> {
  const kinds: readonly ManagedKind[] = [
    ...components,
    importCronKind,
    ...imageRightsKinds,
    ...workloadKinds.map((kind) => ({ ...kind, part: '' })),
  ]
  const each = kinds.map(async (component): Promise<readonly ManagedObject[]> => {
    const resource = await resourceOf(client, component, signal)
    if (resource === undefined) return []
    const list = await found(
      client.list(resource, {
        ...(resource.namespaced && component.isEverywhere !== true ? { namespace: component.namespace ?? namespace } : {}),
        ...(component.selector === undefined ? {} : { labelSelector: component.selector }),
        signal,
      }),
    )
    const ours = (list?.items ?? []).filter(
      (object) =>
        isRendered(object) &&
        (component.adopts === true ||
          component.isEverywhere === true ||
          component.selector !== undefined ||
          object.metadata?.name === component.objectName),
    )
    return ours.map((object) => ({
      component: component.selector === undefined ? component : leftoverOf(component, object, object.metadata?.name ?? ''),
      resource,
      object,
    }))
  })
  return (await Promise.all(each)).flat()
}

async function resourceOf(
  client: Pick<Client, 'get'>,
  component: ManagedKind,
  signal: AbortSignal,
): Promise<ResourceType<ComponentObject> | undefined> {
  if (component.builtIn !== undefined) return builtInResource(component)
  return servedResourceOf(component, await found(client.get(customResourceDefinitions, { name: definitionName(component) }, { signal })))
}
