import { compare } from '#apimachinery/fields/compare.ts'
import { difference, type FieldSet, noFields } from '#apimachinery/fields/field-set.ts'
import type { FieldType } from '#apimachinery/fields/field-type.ts'
import { toFieldSet } from '#apimachinery/fields/to-field-set.ts'
import { parseExactJson } from '#apimachinery/json/long-integers.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'

/** Annotation of client-side apply. */
const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
const annotationsLimitBytes = 256 * 1024

function lastAppliedOf({ metadata }: KubeObject): string | undefined {
  const text = metadata?.annotations?.[annotation]
  return text === '' ? undefined : text
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the fields that client-side apply wrote and that are unchanged since. kubectl may take
 * them over without a conflict, to migrate to server-side apply.
 */
export function fieldsLastApplied(type: FieldType, live: KubeObject): FieldSet {
  const text = lastAppliedOf(live)
  const applied = text === undefined ? undefined : parse(text)
  if (!isJsonObject(applied) || applied['apiVersion'] !== live.apiVersion) return noFields
  const { removed, modified, added } = compare(type, applied, live)
  return [modified, added, removed].reduce(difference, toFieldSet(type, applied))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

function lastAppliedText(config: KubeObject): string {
  if (config.metadata?.annotations === undefined) return `${JSON.stringify(sortKeys(config))}\n`
  const { [annotation]: _, ...annotations } = config.metadata.annotations
  return `${JSON.stringify(sortKeys({ ...config, metadata: { ...config.metadata, annotations } }))}\n`
}

/**
 * Updates the annotation of client-side apply, so that users can go back. Objects without one get
 * none.
 */
export function withLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  if (lastAppliedOf(object) === undefined) return object
  const annotations = { ...object.metadata?.annotations, [annotation]: lastAppliedText(config) }
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
  if (size > annotationsLimitBytes) delete (annotations as Record<string, string>)[annotation]
  return { ...object, metadata: { ...object.metadata, annotations } }
}
