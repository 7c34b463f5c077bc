import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ResourceCatalog, ScalableResource } from './resource-catalog.ts'

/** Part of the API server's registry that the catalog reads. */
export interface ServedResources {
  all(): readonly ServedResource[]
  /** Counts changes. */
  readonly generation: number
}

/** One served version of a resource. */
export interface ServedResource extends ResourceType<KubeObject> {
  readonly verbs: readonly string[]
  /** Equal for all versions of a resource. */
  readonly storageKey: string
  readonly storageApiVersion: string
  readonly scale?: { readonly specReplicasPath: string }
}

const lookMs = 500

/**
 * Catalog of the API server in this process. The registry has no events: its generation is polled.
 */
export function createRegistryCatalog(registry: ServedResources, clock: Clock): ResourceCatalog {
  return {
    resources: () => collectable(registry.all()),
    scalable: (group, kind) => scalable(registry.all(), group, kind),
    onChange(listener) {
      let handledGeneration = registry.generation
      const look = (): void => {
        timer = clock.after(lookMs, look)
        if (registry.generation === handledGeneration) return
        handledGeneration = registry.generation
        listener()
      }
      let timer = clock.after(lookMs, look)
      return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
    },
  }
}

/**
 * One version of each resource that can be listed, watched and deleted: the stored one, which costs
 * no conversion.
 */
function collectable(served: readonly ServedResource[]): readonly ResourceType<KubeObject>[] {
  const chosen = new Map<string, ServedResource>()
  for (const resource of served) {
    if (!['list', 'watch', 'delete'].every((verb) => resource.verbs.includes(verb))) continue
    if (!chosen.has(resource.storageKey) || apiVersionOf(resource) === resource.storageApiVersion) chosen.set(resource.storageKey, resource)
  }
  return [...chosen.values()]
}

function scalable(served: readonly ServedResource[], group: string, kind: string): ScalableResource | undefined {
  const found = served.find((resource) => resource.group === group && resource.kind === kind && resource.scale !== undefined)
  return found?.scale === undefined ? undefined : { resource: found, specReplicasPath: found.scale.specReplicasPath }
}
