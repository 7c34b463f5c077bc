import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { AdmissionPlugin, AdmissionRequest } from './chain.ts'

/** Plugins for one resource. */
interface Chosen {
  readonly mutators: readonly Required<Pick<AdmissionPlugin, 'mutate'>>[]
  readonly validators: readonly Required<Pick<AdmissionPlugin, 'validate'>>[]
}

const chosen = new WeakMap<readonly AdmissionPlugin[], WeakMap<ResourceDefinition, Chosen>>()

/** Caches the plugins of each resource: most handle a single one. */
function choose(plugins: readonly AdmissionPlugin[], definition: ResourceDefinition): Chosen {
  let byDefinition = chosen.get(plugins)
  if (byDefinition === undefined) chosen.set(plugins, (byDefinition = new WeakMap()))
  let known = byDefinition.get(definition)
  if (known === undefined) {
    const concerned = plugins.filter(({ resources }) => resources === undefined || resources.has(definition.storageKey))
    known = { mutators: concerned.filter(mutates), validators: concerned.filter(validates) }
    byDefinition.set(definition, known)
  }
  return known
}

function mutates(plugin: AdmissionPlugin): plugin is AdmissionPlugin & Chosen['mutators'][number] {
  return plugin.mutate !== undefined
}

function validates(plugin: AdmissionPlugin): plugin is AdmissionPlugin & Chosen['validators'][number] {
  return plugin.validate !== undefined
}

/**
 * Runs the mutators in order. Returns the same object when none changed it. @throws StatusError
 * when one refuses
 */
export async function runMutating(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<KubeObject | undefined> {
  let { object } = request
  for (const plugin of choose(plugins, request.target.definition).mutators) {
    const result = plugin.mutate(object === request.object ? request : { ...request, object })
    // Awaits only promises: an await for every synchronous plugin would cost each write several
    // turns of the event loop.
    const changed = result instanceof Promise ? await result : result
    object = changed ?? object
  }
  return object
}

/** Runs the validators in order. @throws StatusError when one refuses */
export async function runValidating(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of choose(plugins, request.target.definition).validators) {
    const result = plugin.validate(request)
    if (result instanceof Promise) await result
  }
}
