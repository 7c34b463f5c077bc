import { internalError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import { convertAll, converterFor, renamed } from '../codec/conversion.ts'
import { DerivedEntry } from './derived-entry.ts'
import { normalise } from '../codec/normalise.ts'

/** Stored entries as served versions show them. */
export interface Views {
  /**
   * Returns the entry in the definition's apiVersion, pruned and defaulted by the current schema.
   * The same entry yields the same view. Where a webhook converts, call {@link prepare} first.
   */
  of(definition: ResourceDefinition, entry: Entry): Entry
  /**
   * Converts the entries that need a webhook, each once. Undefined: all are ready for `of`. Rejects
   * with a StatusError when conversion fails.
   */
  prepare(definition: ResourceDefinition, entries: readonly Entry[]): Promise<void> | undefined
  /** Marks an entry as just written through this definition, so that it needs no pruning. */
  trust(definition: ResourceDefinition, entry: Entry): void
  /** Caches the view of an entry; its resourceVersion is taken from the entry. */
  remember(definition: ResourceDefinition, entry: Entry, object: KubeObject): Entry
  /**
   * Reports whether the entry is stored in the storage version and as the current schema prunes and
   * defaults it.
   */
  isCurrent(definition: ResourceDefinition, entry: Entry): boolean
}

/**
 * Creates views with a cache. Entries are immutable, and an updated schema is a new definition, so
 * cached views never expire.
 */
export function createViews(): Views {
  const byDefinition = new WeakMap<ResourceDefinition, Memory>()
  const memoryOf = (definition: ResourceDefinition): Memory => {
    const known = byDefinition.get(definition)
    if (known !== undefined) return known
    const memory: Memory = { views: new WeakMap(), pending: new WeakMap() }
    byDefinition.set(definition, memory)
    return memory
  }
  return {
    of(definition, entry) {
      // Built-in schemas change only with the program, and defaults are stored with the object.
      if (!definition.custom && definition.storageApiVersion === apiVersionOf(definition)) return entry
      const { views } = memoryOf(definition)
      let view = views.get(entry)
      if (view === undefined) {
        view = render(definition, entry)
        views.set(entry, view)
      }
      return view
    },
    prepare(definition, entries) {
      // Most resources have no webhook, so this path must not allocate a promise.
      if (definition.family?.convert === undefined) return undefined
      return prepareAll(memoryOf(definition), definition, entries)
    },
    trust(definition, entry) {
      if (definition.custom && definition.storageApiVersion === apiVersionOf(definition)) memoryOf(definition).views.set(entry, entry)
    },
    remember(definition, entry, object) {
      const view = restamped(object, entry.revision)
      memoryOf(definition).views.set(entry, view)
      return view
    },
    isCurrent(definition, entry) {
      if (!definition.custom) return true
      const { object } = entry
      if (object.apiVersion !== definition.storageApiVersion) return false
      return memoryOf(definition).views.get(entry) === entry || renamed(definition, object, definition.storageApiVersion) === object
    },
  }
}

/** Cached views of one definition. */
interface Memory {
  readonly views: WeakMap<Entry, Entry>
  /** Conversions in progress, shared by all requests for the same view. */
  readonly pending: WeakMap<Entry, Promise<void>>
}

function render(definition: ResourceDefinition, entry: Entry): Entry {
  const { object } = entry
  const wanted = apiVersionOf(definition)
  if (object.apiVersion === wanted && definition.custom) return derived(entry, normalise(definition, object, false, 'drop').object)
  if (converterFor(definition, object.apiVersion, wanted) !== undefined) throw internalError(`an object was not converted to ${wanted}`)
  return derived(entry, renamed(definition, object, wanted))
}

function derived(entry: Entry, object: KubeObject): Entry {
  return object === entry.object ? entry : new DerivedEntry(object, entry.revision)
}

function prepareAll({ views, pending }: Memory, definition: ResourceDefinition, entries: readonly Entry[]): Promise<void> | undefined {
  const wanted = apiVersionOf(definition)
  const missing: Entry[] = []
  const waits = new Set<Promise<void>>()
  for (const entry of entries) {
    if (views.has(entry)) continue
    const running = pending.get(entry)
    if (running !== undefined) waits.add(running)
    else if (converterFor(definition, entry.object.apiVersion, wanted) !== undefined) missing.push(entry)
  }
  if (missing.length > 0) {
    const converting = convertEntries(views, definition, missing, wanted).finally(() => {
      for (const entry of missing) pending.delete(entry)
    })
    for (const entry of missing) pending.set(entry, converting)
    waits.add(converting)
  }
  return waits.size === 0 ? undefined : Promise.all(waits).then(() => {})
}

async function convertEntries(
  views: WeakMap<Entry, Entry>,
  definition: ResourceDefinition,
  entries: readonly Entry[],
  wanted: string,
): Promise<void> {
  const convert = definition.family?.convert
  if (convert === undefined) return
  const objects = await convertAll(
    convert,
    definition,
    entries.map(({ object }) => object),
    wanted,
  )
  entries.forEach((entry, index) => {
    const object = objects[index]
    if (object !== undefined) views.set(entry, new DerivedEntry(object, entry.revision))
  })
}

/** Creates an entry with the object at another revision. */
export function restamped(object: KubeObject, revision: number): Entry {
  return new DerivedEntry({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }, revision)
}
