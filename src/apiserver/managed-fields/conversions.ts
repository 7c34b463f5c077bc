import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { converterFor, inVersion, renamed } from '#apiserver/codec/conversion.ts'
import type { Tracking } from './track-update.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/**
 * Ownership is a computation that asks for objects in other versions now and then, and a webhook
 * answers later. So the computation is run again.
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
 * Runs a computation that may need objects in other versions. It must be pure: it is run again
 * after each conversion by a webhook. Where versions differ in their names only, as nearly
 * everywhere, the result comes at once.
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
