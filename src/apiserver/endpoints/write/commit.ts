import { internalError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { assertNamespaceAccepts } from '#apiserver/admission/namespaces/namespace-lifecycle.ts'
import { type Entry, StorageFailed, type Write } from '#apiserver/storage/object-store.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { converterFor, inVersion, renamed } from '#apiserver/codec/conversion.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { restamped } from '../views.ts'

/**
 * Stores the object, or deletes it when undefined, if the stored revision is the expected one.
 * @throws RevisionMismatch when it is not: the caller computes the object again; StatusError 500
 * when the disk or the conversion webhook fails
 */
export async function commit(environment: Environment, target: Target, expected: number, object: KubeObject | undefined): Promise<Entry> {
  const { definition, namespace = '', name } = target
  const place = { resource: definition.storageKey, namespace, name, expected }
  if (object === undefined) return remove(environment, target, place)
  const { storageApiVersion } = definition
  if (converterFor(definition, apiVersionOf(definition), storageApiVersion) !== undefined) {
    return commitConverted(environment, target, place, object)
  }
  const stored = object.apiVersion === storageApiVersion ? object : renamed(definition, object, storageApiVersion)
  // Before the commit, because watchers are called during it and would prune and default the entry
  // once more each.
  const onAccepted = (entry: Entry): void => environment.views.trust(definition, entry)
  return environment.views.of(definition, await write(environment, { ...place, object: stored, onAccepted }))
}

type Place = Pick<Write, 'resource' | 'namespace' | 'name' | 'expected'>

async function write({ store }: Environment, change: Write): Promise<Entry> {
  try {
    return await store.write(change)
  } catch (error) {
    throw error instanceof StorageFailed ? internalError(error.message, error) : error
  }
}

/** A deleted object keeps its last converted view, so that the webhook is not called again. */
async function remove(environment: Environment, { definition }: Target, place: Place): Promise<Entry> {
  const { store, views } = environment
  const last = definition.family?.convert === undefined ? undefined : store.getPending(place.resource, place.namespace, place.name)
  const removed = await write(environment, { ...place, object: undefined })
  return last === undefined ? views.of(definition, removed) : restamped(views.of(definition, last).object, removed.revision)
}

/**
 * Stores the object as the webhook converts it. Converts it back before the commit, so that an
 * acknowledged object can also be read.
 */
async function commitConverted(environment: Environment, target: Target, place: Place, object: KubeObject): Promise<Entry> {
  const { store, views } = environment
  const { definition } = target
  const { stored, shown } = await thereAndBack(target, object)
  // Checked again for a new object: its namespace may be terminating since the conversion began.
  if (place.expected === 0) assertNamespaceAccepts(store, target)
  const onAccepted = (entry: Entry): void => void views.remember(definition, entry, shown)
  return views.of(definition, await write(environment, { ...place, object: stored, onAccepted }))
}

async function thereAndBack({ definition }: Target, object: KubeObject): Promise<{ stored: KubeObject; shown: KubeObject }> {
  const stored = await inVersion(definition, object, definition.storageApiVersion)
  return { stored, shown: await inVersion(definition, stored, apiVersionOf(definition)) }
}

/** Returns the result of a commit for a dry run, conversion errors included. */
export async function dryRunCommit(target: Target, object: KubeObject, revision: number): Promise<Entry> {
  const { definition } = target
  const converts = converterFor(definition, apiVersionOf(definition), definition.storageApiVersion) !== undefined
  return new DerivedEntry(converts ? (await thereAndBack(target, object)).shown : object, revision)
}
