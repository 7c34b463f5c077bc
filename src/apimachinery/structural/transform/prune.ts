import { isJsonObject } from '#apimachinery/own-property.ts'
import { Location } from '../location.ts'
import { mapFields, mapItems, removed } from './map-changes.ts'
import { leavesMetadataOpen, objectMetaSchema } from '../object-meta-schema.ts'
import type { StructuralSchema } from '../schema.ts'

/** A value without its unknown fields, and their paths. */
export interface Pruned {
  readonly value: unknown
  /** `spec.x`, `spec.list[0].y`; a removed subtree is named by its root. */
  readonly unknown: readonly string[]
}

interface Walk {
  readonly location: Location
  readonly unknown: string[]
}

/** Prunes a value. An undefined pruner keeps everything. */
interface Pruner {
  /** Reports whether there is nothing to remove, the usual case, in which no path is needed. */
  isClean(value: unknown): boolean
  prune(value: unknown, walk: Walk): unknown
}

interface FieldPruner {
  readonly step: string
  readonly prune: Pruner | undefined
}

interface ObjectPruner {
  readonly fields: ReadonlyMap<string, FieldPruner>
  /** Treatment of undeclared fields. */
  readonly others: 'keep' | 'drop' | Pruner
}

const scalars = new Set<StructuralSchema['type']>(['string', 'integer', 'number', 'boolean'])

function fieldsOf(schema: StructuralSchema, isResource: boolean): Map<string, FieldPruner> {
  const fields = new Map<string, FieldPruner>()
  if (isResource) for (const key of ['apiVersion', 'kind', 'metadata']) fields.set(key, { step: `.${key}`, prune: undefined })
  for (const [key, property] of Object.entries(schema.properties ?? {})) fields.set(key, { step: `.${key}`, prune: compile(property) })
  if (isResource && leavesMetadataOpen(schema)) fields.set('metadata', { step: '.metadata', prune: compile(objectMetaSchema) })
  return fields
}

function othersOf(schema: StructuralSchema): 'keep' | 'drop' | Pruner {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') return compile(additionalProperties) ?? 'keep'
  return additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? 'keep' : 'drop'
}

function pruneInside(pruner: Pruner, step: string | number, value: unknown, walk: Walk): unknown {
  walk.location.push(step)
  const pruned = pruner.prune(value, walk)
  walk.location.pop()
  return pruned
}

function report(key: string, walk: Walk): typeof removed {
  walk.location.push(`.${key}`)
  walk.unknown.push(walk.location.toString())
  walk.location.pop()
  return removed
}

function pruneFields(value: Readonly<Record<string, unknown>>, { fields, others }: ObjectPruner, walk: Walk): unknown {
  return mapFields(value, (item, key) => {
    const field = fields.get(key)
    if (field !== undefined) return field.prune === undefined ? item : pruneInside(field.prune, field.step, item, walk)
    if (others === 'keep') return item
    return others === 'drop' ? report(key, walk) : pruneInside(others, `.${key}`, item, walk)
  })
}

function hasCleanFields(value: Readonly<Record<string, unknown>>, { fields, others }: ObjectPruner): boolean {
  for (const key in value) {
    const field = fields.get(key)
    const pruner = field === undefined ? others : field.prune
    if (pruner === undefined || pruner === 'keep') continue
    if (pruner === 'drop' || !pruner.isClean(value[key])) return false
  }
  return true
}

/**
 * Fields are compiled at the first object that has some: objects use few of the fields that large
 * kinds declare.
 */
function compileContainer(schema: StructuralSchema, isResource: boolean): Pruner {
  const items = schema.items === undefined ? undefined : compile(schema.items)
  let object: ObjectPruner | undefined
  const compileObject = (): ObjectPruner => (object ??= { fields: fieldsOf(schema, isResource), others: othersOf(schema) })
  return {
    isClean(value) {
      if (!Array.isArray(value)) return !isJsonObject(value) || hasCleanFields(value, object ?? compileObject())
      if (items !== undefined) for (const item of value) if (!items.isClean(item)) return false
      return true
    },
    prune(value, walk) {
      if (isJsonObject(value)) return pruneFields(value, object ?? compileObject(), walk)
      return Array.isArray(value) && items !== undefined ? mapItems(value, (item, index) => pruneInside(items, index, item, walk)) : value
    },
  }
}

function compile(schema: StructuralSchema): Pruner | undefined {
  // A value of the wrong type is left for validation to name.
  if (scalars.has(schema.type) || schema['x-kubernetes-int-or-string'] === true) return undefined
  const isResource = schema['x-kubernetes-embedded-resource'] === true
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (open && !isResource && schema.properties === undefined && schema.items === undefined && schema.additionalProperties === undefined)
    return undefined
  return compileContainer(schema, isResource)
}

const nothing: readonly string[] = []
const compiled = new WeakMap<StructuralSchema, Pruner>()

function prunerOf(schema: StructuralSchema): Pruner {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const pruner = compileContainer(schema, true)
  compiled.set(schema, pruner)
  return pruner
}

/**
 * Removes fields that the schema of a whole resource does not declare, except below
 * `x-kubernetes-preserve-unknown-fields`. `apiVersion`, `kind` and the fields of ObjectMeta stay at
 * the root and in embedded resources. Returns the same value when nothing is unknown.
 */
export function prune(value: unknown, schema: StructuralSchema): Pruned {
  const pruner = prunerOf(schema)
  if (pruner.isClean(value)) return { value, unknown: nothing }
  const walk: Walk = { location: new Location(), unknown: [] }
  return { value: pruner.prune(value, walk), unknown: walk.unknown }
}
