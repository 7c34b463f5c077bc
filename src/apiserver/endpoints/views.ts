import { internalError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import { convertAll, converterFor, renamed } from '../codec/conversion.ts'
import { DerivedEntry } from './derived-entry.ts'
import { normalise } from '../codec/normalise.ts'

/** Stored entries as a served version shows them. */
export interface Views {
  /**
   * The entry under the definition's apiVersion, pruned and defaulted by its schema as that is
   * today. The same entry gives the same view. Where a webhook converts, the entry must have been
   * prepared.
   */
  of(definition: ResourceDefinition, entry: Entry): Entry
  /**
   * Has entries converted that need it, once each. Undefined: all are ready for `of` now. Rejects
   * with a StatusError when conversion fails.
   */
  prepare(definition: ResourceDefinition, entries: readonly Entry[]): Promise<void> | undefined
  /**
   * Says that the entry was just written through this definition, so that it needs no second look.
   */
  trust(definition: ResourceDefinition, entry: Entry): void
  /** Says how the entry looks, except for its resourceVersion, which is the entry's. */
  remember(definition: ResourceDefinition, entry: Entry, object: KubeObject): Entry
  /**
   * Whether the entry is stored as it would be stored today: in the storage version, and as the
   * schema has it.
   */
  isCurrent(definition: ResourceDefinition, entry: Entry): boolean
}

/**
 * Views with a memory: entries are immutable, so what a schema makes of one never changes. A
 * changed schema is a new definition.
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
      // Built-in schemas change with the program only, and their defaults were written out with the
      // object.
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
      // By far most resources: nothing is asked, nothing is awaited.
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

/** What is known of the entries of one definition. */
interface Memory {
  readonly views: WeakMap<Entry, Entry>
  /** Conversions under way, so that all who want the same view wait for one. */
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

/** An entry with the object under another revision. */
export function restamped(object: KubeObject, revision: number): Entry {
  return new DerivedEntry({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }, revision)
}
