import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition, VersionFamily } from '#apiserver/registry/resource-definition.ts'
import { normalise } from './normalise.ts'

type Convert = NonNullable<VersionFamily['convert']>

/** Objects that one question to a conversion webhook holds at most: a page of kubectl. */
const mostObjects = 500
/** About how many bytes of them: question and answer must fit into memory, many times over. */
const mostBytes = 4 * 1024 * 1024

/** The object under another apiVersion; conversion strategy None changes nothing else. */
export function withApiVersion(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

/** What turns an object of the given version into the wanted one, when its name alone does not. */
export function converterFor(definition: ResourceDefinition, from: string | undefined, to: string): Convert | undefined {
  return from === to ? undefined : definition.family?.convert
}

/**
 * An object of any version of the resource as that version's schema makes it today: what is
 * converted must be whole.
 */
function inOwnForm(definition: ResourceDefinition, object: KubeObject): KubeObject {
  return inFormOf(definition, object, object.apiVersion ?? '')
}

function inFormOf(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  if (!definition.custom) return object
  const schema = apiVersion === apiVersionOf(definition) ? definition.schema : definition.family?.schemas.get(apiVersion)
  return schema === undefined ? object : normalise({ schema, custom: true }, object, false, 'drop').object
}

/**
 * The object in another version, pruned and defaulted by the schemas of both. For versions that
 * differ in their apiVersion only.
 */
export function renamed(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  if (definition.translate !== undefined && object.apiVersion !== apiVersion) return definition.translate(object, apiVersion)
  const source = object.apiVersion === apiVersion ? object : inOwnForm(definition, object)
  return inFormOf(definition, withApiVersion(source, apiVersion), apiVersion)
}

/**
 * The objects in another version, by asking the webhook. None of them may be in that version
 * already. @throws StatusError 500
 */
export async function convertAll(
  convert: Convert,
  definition: ResourceDefinition,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const results: KubeObject[] = []
  // Objects of one kind are of one size, more or less.
  const batch = Math.max(1, Math.min(mostObjects, Math.floor(mostBytes / JSON.stringify(objects[0] ?? {}).length)))
  for (let start = 0; start < objects.length; start += batch) {
    const sources = objects.slice(start, start + batch).map((object) => inOwnForm(definition, object))
    for (const converted of await convert(sources, apiVersion)) results.push(inFormOf(definition, converted, apiVersion))
  }
  return results
}

/**
 * One object in another version of its resource, whatever that takes. @throws StatusError 500 when
 * the conversion webhook fails
 */
export async function inVersion(definition: ResourceDefinition, object: KubeObject, apiVersion: string): Promise<KubeObject> {
  const convert = converterFor(definition, object.apiVersion, apiVersion)
  if (convert === undefined) return object.apiVersion === apiVersion ? object : renamed(definition, object, apiVersion)
  const [converted] = await convertAll(convert, definition, [object], apiVersion)
  return converted ?? object
}
