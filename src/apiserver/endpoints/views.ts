import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import { DerivedEntry } from './derived-entry.ts'
import { normalise } from './normalise.ts'

/** Stored entries as a served version shows them. */
export interface Views {
  /** The entry under the definition's apiVersion, pruned and defaulted by its schema as that is today. The same entry gives the same view. */
  of(definition: ResourceDefinition, entry: Entry): Entry
  /** Says that the entry was just written through this definition, so that it needs no second look. */
  trust(definition: ResourceDefinition, entry: Entry): void
}

/** Views with a memory: entries are immutable, so what a schema makes of one never changes. A changed schema is a new definition. */
export function createViews(): Views {
  const byDefinition = new WeakMap<ResourceDefinition, WeakMap<Entry, Entry>>()
  const viewsOf = (definition: ResourceDefinition): WeakMap<Entry, Entry> => {
    const known = byDefinition.get(definition)
    if (known !== undefined) return known
    const views = new WeakMap<Entry, Entry>()
    byDefinition.set(definition, views)
    return views
  }
  return {
    of(definition, entry) {
      // Built-in schemas change with the program only, and their defaults were written out with the object.
      if (!definition.custom && definition.storageApiVersion === apiVersionOf(definition)) return entry
      const views = viewsOf(definition)
      let view = views.get(entry)
      if (view === undefined) {
        view = render(definition, entry)
        views.set(entry, view)
      }
      return view
    },
    trust(definition, entry) {
      if (definition.custom && definition.storageApiVersion === apiVersionOf(definition)) viewsOf(definition).set(entry, entry)
    },
  }
}

function render(definition: ResourceDefinition, entry: Entry): Entry {
  const converted = withApiVersion(entry.object, apiVersionOf(definition))
  const object = definition.custom ? normalise(definition, converted).object : converted
  return object === entry.object ? entry : new DerivedEntry(object, entry.revision)
}

/** The object under another apiVersion; conversion strategy None changes nothing else. */
export function withApiVersion(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}
