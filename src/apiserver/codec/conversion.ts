import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition, VersionFamily } from '#apiserver/registry/resource-definition.ts'
import { normalise } from './normalise.ts'

type Convert = NonNullable<VersionFamily['convert']>

/** Limit of objects in one call of a conversion webhook. */
const mostObjects = 500
/** Approximate limit of bytes in one call. */
const mostBytes = 4 * 1024 * 1024

/** Copy with another apiVersion, which is all that conversion strategy None changes. */
export function withApiVersion(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

/** Returns the conversion between two versions; undefined when only the apiVersion changes. */
export function converterFor(definition: ResourceDefinition, from: string | undefined, to: string): Convert | undefined {
  return from === to ? undefined : definition.family?.convert
}

/** Prunes and defaults an object by the schema of its version before its conversion. */
function inOwnForm(definition: ResourceDefinition, object: KubeObject): KubeObject {
  return inFormOf(definition, object, object.apiVersion ?? '')
}

function inFormOf(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  if (!definition.custom) return object
  const schema = apiVersion === apiVersionOf(definition) ? definition.schema : definition.family?.schemas.get(apiVersion)
  return schema === undefined ? object : normalise({ schema, custom: true }, object, false, 'drop').object
}

/** Converts between versions that differ in apiVersion and schema only. */
export function renamed(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  if (definition.translate !== undefined && object.apiVersion !== apiVersion) return definition.translate(object, apiVersion)
  const source = object.apiVersion === apiVersion ? object : inOwnForm(definition, object)
  return inFormOf(definition, withApiVersion(source, apiVersion), apiVersion)
}

/** Converts objects by the webhook. None may be in the target version. @throws StatusError 500 */
export async function convertAll(
  convert: Convert,
  definition: ResourceDefinition,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const results: KubeObject[] = []
  // Assumes that objects of a kind have similar sizes.
  const batch = Math.max(1, Math.min(mostObjects, Math.floor(mostBytes / JSON.stringify(objects[0] ?? {}).length)))
  for (let start = 0; start < objects.length; start += batch) {
    const sources = objects.slice(start, start + batch).map((object) => inOwnForm(definition, object))
    for (const converted of await convert(sources, apiVersion)) results.push(inFormOf(definition, converted, apiVersion))
  }
  return results
}

/** Converts one object. @throws StatusError 500 when the webhook fails */
export async function inVersion(definition: ResourceDefinition, object: KubeObject, apiVersion: string): Promise<KubeObject> {
  const convert = converterFor(definition, object.apiVersion, apiVersion)
  if (convert === undefined) return object.apiVersion === apiVersion ? object : renamed(definition, object, apiVersion)
  const [converted] = await convertAll(convert, definition, [object], apiVersion)
  return converted ?? object
}
