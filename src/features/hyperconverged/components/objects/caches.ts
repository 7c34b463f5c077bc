import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, Selection } from '#client/client.ts'
import { createInformer, type RunnableInformer } from '#runtime/cache/informer.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { channelSource, type Source } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import { hyperConvergedKey } from '../../names.ts'
import { resourceOf, type ComponentObject } from '../../reconcile/observe.ts'
import { definitionName, type CachedKind } from '../rendering/components.ts'

/** What is cached of a kind. */
export interface CachedComponent {
  readonly resource: ResourceType<ComponentObject> | undefined
  readonly isKnown: boolean
  readonly objects: readonly ComponentObject[]
}

/** Caches of objects that the operator maintains or reads. Later kinds need no restart. */
export interface ComponentCaches extends Runnable {
  observe(kind: CachedKind): CachedComponent
  /** Wakes the controller at each change. Synced when all kinds that are installed are known. */
  readonly source: Source
}

/** Dependencies of {@link createComponentCaches}. */
export interface ComponentCachesOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly kinds: readonly CachedKind[]
}

/** A watched kind, and how to stop watching. */
interface Watched {
  readonly isBuiltIn: boolean
  readonly resource: ResourceType<ComponentObject>
  readonly objects: RunnableInformer<ComponentObject>
  readonly stop: () => Promise<void>
}

/**
 * Milliseconds to wait for the objects of workloads. Without the right to list them, which an
 * operator of an older release did not need, the components are configured all the same.
 */
const workloadsMs = 10_000

/** Creates the caches: they watch a kind while its CRD is established. */
export function createComponentCaches({ client, clock, log, kinds }: ComponentCachesOptions): ComponentCaches {
  const watched = new Map<string, Watched>()
  const channel = channelSource()
  const wake = (): void => channel.enqueue(hyperConvergedKey)
  const builtIn = kinds.filter((kind) => kind.builtIn !== undefined)
  // One cache for each CRD, and without schemas: all CRDs of a cluster take megabytes.
  const definitions = kinds
    .filter((kind) => kind.builtIn === undefined)
    .map((component) => ({
      component,
      definition: createInformer<CustomResourceDefinition>({
        client,
        clock,
        log,
        resource: customResourceDefinitions,
        selection: { fieldSelector: `metadata.name=${definitionName(component)}` },
        transform: withoutSchemas,
      }),
    }))

  const follow = (component: CachedKind, definition: CustomResourceDefinition | undefined, signal: AbortSignal): void => {
    const resource = resourceOf(component, definition)
    const present = watched.get(component.name)
    if (deepEqual(present?.resource, resource) || signal.aborted) return
    watched.delete(component.name)
    void present?.stop()
    if (resource !== undefined) watched.set(component.name, watch(component, resource, signal))
    wake()
  }

  const watch = (kind: CachedKind, resource: ResourceType<ComponentObject>, signal: AbortSignal): Watched => {
    const objects = createInformer<ComponentObject>({ client, clock, log, resource, selection: selectionOf(kind, resource) })
    const ending = new AbortController()
    const running = objects.run(AbortSignal.any([signal, ending.signal]))
    objects.onEvent(wake)
    // Without objects there is no event.
    objects.synced(ending.signal).then(wake, () => {})
    return {
      isBuiltIn: kind.builtIn !== undefined,
      resource,
      objects,
      stop: () => {
        ending.abort()
        return running
      },
    }
  }

  return {
    observe({ name }) {
      const { resource, objects } = watched.get(name) ?? {}
      return { resource, isKnown: objects?.hasSynced === true, objects: objects?.list() ?? [] }
    },
    source: {
      start: (enqueue) => channel.start(enqueue),
      synced: async (signal) => {
        await Promise.all(definitions.map(({ definition }) => definition.synced(signal)))
        const [own, others] = [true, false].map((isBuiltIn) =>
          [...watched.values()].filter((one) => one.isBuiltIn === isBuiltIn).map(({ objects }) => objects.synced(signal)),
        )
        await Promise.all(others ?? [])
        await Promise.race([Promise.all(own ?? []), clock.sleep(workloadsMs, signal)])
      },
    },
    async run(signal) {
      for (const kind of builtIn) watched.set(kind.name, watch(kind, builtInResource(kind), signal))
      for (const { component, definition } of definitions)
        definition.onEvent(() => {
          follow(component, definition.get('', definitionName(component)), signal)
          // The objects of a CRD that is being deleted are not watched any more.
          wake()
        })
      const running = definitions.map(({ definition }) => definition.run(signal))
      await aborted(signal)
      await Promise.all([...running, ...[...watched.values()].map(({ stop }) => stop())])
    },
  }
}

/** Objects of workloads are those with their label in the operator's namespace. */
function selectionOf({ onlyIn, objectName, selector }: CachedKind, { namespaced }: ResourceType<ComponentObject>): Selection {
  if (onlyIn !== undefined) return { namespace: onlyIn, fieldSelector: `metadata.name=${objectName}` }
  if (selector === undefined) return {}
  return { labelSelector: selector, ...(namespaced ? { namespace: hyperConvergedKey.namespace } : {}) }
}

/** Returns the resource of a kind that no CRD defines. Pure. */
export function builtInResource({ group, versions: [version = ''], kind, plural, builtIn }: CachedKind): ResourceType<ComponentObject> {
  return { group, version, kind, plural, namespaced: builtIn?.namespaced === true }
}

function withoutSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map(({ schema: _schema, ...version }) => version)
  const { managedFields: _managedFields, ...metadata } = definition.metadata
  return { ...definition, metadata, spec: { ...definition.spec, versions } }
}
