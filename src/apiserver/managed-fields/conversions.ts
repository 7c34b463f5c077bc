import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { converterFor, inVersion, renamed } from '#apiserver/codec/conversion.ts'
import type { Tracking } from './track-update.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/**
 * Thrown by a computation that needs an object in another version, which a webhook converts; the
 * computation then runs again.
 */
class ConversionNeeded extends Error {
  override readonly name = 'ConversionNeeded'
  readonly object: KubeObject
  readonly apiVersion: string
  constructor(object: KubeObject, apiVersion: string) {
    super(`an object is needed in ${apiVersion}`)
    this.object = object
    this.apiVersion = apiVersion
  }
}

/**
 * Runs a pure computation that may need objects in other versions, again after each conversion by a
 * webhook. Synchronous when versions differ in apiVersion only.
 */
export function withConversions<T>(tracking: Tracking, definition: ResourceDefinition, run: (tracking: Tracking) => T): T | Promise<T> {
  if (definition.family?.convert === undefined) return run({ ...tracking, convert: (object, to) => renamed(definition, object, to) })
  const known = new Map<string, KubeObject>()
  const convert = (object: KubeObject, to: string): KubeObject => {
    if (converterFor(definition, object.apiVersion, to) === undefined) return object
    const converted = known.get(keyOf(object, to))
    if (converted === undefined) throw new ConversionNeeded(object, to)
    return converted
  }
  return settle({ ...tracking, convert }, definition, run, known)
}

function keyOf(object: KubeObject, apiVersion: string): string {
  return `${apiVersion} ${JSON.stringify(object)}`
}

async function settle<T>(
  tracking: Tracking,
  definition: ResourceDefinition,
  run: (tracking: Tracking) => T,
  known: Map<string, KubeObject>,
): Promise<T> {
  for (;;) {
    try {
      return run(tracking)
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error
      known.set(keyOf(error.object, error.apiVersion), await inVersion(definition, error.object, error.apiVersion))
    }
  }
}
