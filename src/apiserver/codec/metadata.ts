import type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'

/** Metadata has a value of the wrong type. */
export class MetadataTypeError extends Error {
  override readonly name = 'MetadataTypeError'
}

/** Canonical metadata, and the fields that were dropped. */
export interface DecodedMetadata {
  readonly metadata: ObjectMeta
  /** Paths of unknown fields. */
  readonly unknown: readonly string[]
}

type Field = 'string' | 'integer' | 'strings' | 'map' | 'owners' | 'managers' | 'ignored'

/** Fields in the order in which they are encoded. */
const fields: ReadonlyMap<string, Field> = new Map([
  ['name', 'string'],
  ['generateName', 'string'],
  ['namespace', 'string'],
  ['uid', 'string'],
  ['resourceVersion', 'string'],
  ['generation', 'integer'],
  ['creationTimestamp', 'string'],
  ['deletionTimestamp', 'string'],
  ['deletionGracePeriodSeconds', 'integer'],
  ['labels', 'map'],
  ['annotations', 'map'],
  ['ownerReferences', 'owners'],
  ['finalizers', 'strings'],
  ['selfLink', 'ignored'],
  ['managedFields', 'managers'],
])

const kept = [...fields].filter(([, type]) => type !== 'ignored')

/**
 * Canonicalizes metadata: known fields in a fixed order, without nulls and empty values. @throws
 * MetadataTypeError
 */
export function decodeMetadata(value: unknown): DecodedMetadata {
  if (value === undefined || value === null) return { metadata: {}, unknown: [] }
  if (!isJsonObject(value)) throw mismatch('', value, 'ObjectMeta')
  const metadata: Record<string, unknown> = {}
  for (const [name, type] of kept) {
    const field = value[name]
    if (field === undefined || field === null) continue
    const decoded = decodeField(name, type, field)
    if (decoded !== undefined) metadata[name] = decoded
  }
  return { metadata, unknown: unknownOf(value) }
}

const nothing: readonly string[] = []

function unknownOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  let unknown: string[] | undefined
  for (const name in value) if (!fields.has(name)) (unknown ??= []).push(`metadata.${name}`)
  return unknown ?? nothing
}

function decodeField(name: string, type: Field, value: unknown): unknown {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw mismatch(name, value, 'string')
      return value === '' ? undefined : value
    case 'integer':
      // Zero is kept: a grace period of 0 s is meaningful.
      if (!Number.isSafeInteger(value)) throw mismatch(name, value, 'int64')
      return value
    case 'strings':
      return decodeStrings(name, value)
    case 'map':
      return decodeMap(name, value)
    case 'owners':
      return decodeOwners(name, value)
    case 'managers':
      return decodeManagers(name, value)
    case 'ignored':
      return undefined
  }
}

function decodeStrings(name: string, value: unknown): string[] | undefined {
  if (!Array.isArray(value)) throw mismatch(name, value, '[]string')
  for (const item of value) if (typeof item !== 'string') throw mismatch(name, item, 'string')
  return value.length === 0 ? undefined : (value as string[])
}

function decodeMap(name: string, value: unknown): Record<string, string> | undefined {
  if (!isJsonObject(value)) throw mismatch(name, value, 'map[string]string')
  const keys = Object.keys(value)
  if (keys.length === 0) return undefined
  if (keys.every((key) => typeof value[key] === 'string')) return value as Record<string, string>
  const map: Record<string, string> = {}
  for (const key of keys) {
    const item = value[key]
    if (item !== null && item !== undefined && typeof item !== 'string') throw mismatch(name, item, 'string')
    setOwnInto(map, key, item ?? '')
  }
  return map
}

function decodeOwners(name: string, value: unknown): OwnerReference[] | undefined {
  if (!Array.isArray(value)) throw mismatch(name, value, '[]OwnerReference')
  const owners = value.map((item: unknown): OwnerReference => {
    if (!isJsonObject(item)) throw mismatch(name, item, 'OwnerReference')
    const { apiVersion, kind, name: owner, uid, controller, blockOwnerDeletion } = item
    return {
      apiVersion: text(`${name}.apiVersion`, apiVersion),
      kind: text(`${name}.kind`, kind),
      name: text(`${name}.name`, owner),
      uid: text(`${name}.uid`, uid),
      ...flag(name, 'controller', controller),
      ...flag(name, 'blockOwnerDeletion', blockOwnerDeletion),
    }
  })
  return owners.length === 0 ? undefined : owners
}

/** An empty list is kept, as clients reset all ownership with it. */
function decodeManagers(name: string, value: unknown): readonly ManagedFieldsEntry[] {
  if (!Array.isArray(value)) throw mismatch(name, value, '[]ManagedFieldsEntry')
  for (const item of value) {
    if (!isJsonObject(item)) throw mismatch(name, item, 'ManagedFieldsEntry')
    for (const [key, field] of Object.entries(item)) {
      if (key !== 'fieldsV1' && field !== null && typeof field !== 'string') throw mismatch(`${name}.${key}`, field, 'string')
    }
  }
  return value as ManagedFieldsEntry[]
}

function text(path: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw mismatch(path, value, 'string')
  return value
}

function flag(path: string, name: string, value: unknown): Record<string, boolean> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'boolean') throw mismatch(`${path}.${name}`, value, 'bool')
  return { [name]: value }
}

function mismatch(field: string, value: unknown, wanted: string): MetadataTypeError {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  const path = field === '' ? 'metadata' : `metadata.${field}`
  return new MetadataTypeError(`json: cannot unmarshal ${found} into Go struct field ObjectMeta.${path} of type ${wanted}`)
}

/** Copy with other metadata and the usual order of fields. */
export function withMetadata(object: KubeObject, metadata: ObjectMeta): KubeObject {
  const { apiVersion, kind, metadata: _, ...content } = object
  if (apiVersion !== undefined && kind !== undefined) return { apiVersion, kind, metadata, ...content }
  return { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }), metadata, ...content }
}
