import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { validateName } from '#apimachinery/meta/name-rules.ts'
import { validateAnnotations, validateFinalizers, validateLabels, validateOwnerReferences } from '#apimachinery/meta/object-meta-rules.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { checkList, checkObject } from './check-containers.ts'
import { checkListKeys } from './check-list-keys.ts'
import { checkLogic } from './check-logic.ts'
import { checkEnum, checkIntegerFormat, checkScalars, checkType } from './check-scalars.ts'
import { leavesMetadataOpen, objectMetaSchema } from '../object-meta-schema.ts'
import type { StructuralSchema } from '../schema.ts'
import { type Check, isUnchanged, oldField, uncorrelated, ValidationWalk } from './validation-walk.ts'

/** Strictness of a validation. */
export interface ValidationOptions {
  /**
   * As for built-in kinds: integers must fit `format: int32` or `int64`, and lists of
   * `x-kubernetes-list-type` set and map may repeat items. Default false, as for custom resources.
   */
  readonly integerFormats?: boolean
  /**
   * The object that the value replaces. Errors of unchanged values are not reported, so that an
   * object that was stored under a laxer schema can still be updated elsewhere.
   */
  readonly old?: unknown
}

function compileNode(schema: StructuralSchema, integerFormats: boolean): Check {
  const compile = (inner: StructuralSchema): Check => compileNode(inner, integerFormats)
  const type = checkType(schema)
  const values = checkEnum(schema)
  const checks = [
    type,
    ...checkLogic(schema, compile),
    ...checkScalars(schema),
    integerFormats ? checkIntegerFormat(schema) : undefined,
    checkList(schema, compile),
    values,
    checkObject(schema, compile),
    schema['x-kubernetes-embedded-resource'] === true ? checkEmbedded(integerFormats) : undefined,
  ].filter((check) => check !== undefined)
  // Fast path for the most common value: a string without further checks.
  const isPlainText = schema.type === 'string' && checks.length === 1
  return (value, old, walk) => {
    if (old !== uncorrelated) {
      if (isUnchanged(value, old)) return
    } else if (isPlainText && typeof value === 'string') {
      walk.fits += 1
      return
    }
    if (value === null) {
      type?.(value, old, walk)
      values?.(value, old, walk)
      return
    }
    for (const check of checks) check(value, old, walk)
  }
}

/** Besides its schema, an embedded resource must have apiVersion, kind and valid metadata. */
function checkEmbedded(integerFormats: boolean): Check {
  const metadata = compileNode(objectMetaSchema, integerFormats)
  return (value, old, walk) => {
    if (!isJsonObject(value)) return
    for (const key of ['apiVersion', 'kind'] as const) walk.errors.push(...checkTypeName(getOwn(value, key), key, childOf(walk, key)))
    const before = walk.errors.length
    walk.inside('.metadata', metadata, getOwn(value, 'metadata') ?? null, oldField(old, 'metadata'))
    if (walk.errors.length === before) checkEmbeddedMetadata(getOwn(value, 'metadata'), childOf(walk, 'metadata'), walk)
  }
}

function checkTypeName(value: unknown, key: 'apiVersion' | 'kind', field: string): FieldError[] {
  if (value === undefined) return [requiredValue(field)]
  if (typeof value !== 'string') return [invalidValue(field, value, 'must be a string')]
  if (value === '') return [invalidValue(field, value, 'must not be empty')]
  if (key === 'apiVersion') {
    return value.split('/').length > 2 ? [invalidValue(field, value, `unexpected GroupVersion string: ${value}`)] : []
  }
  const faults = validateName(value.toLowerCase(), 'dns-1035-label')
  return faults.length === 0 ? [] : [invalidValue(field, value, `may have mixed case, but should otherwise match: ${faults.join(',')}`)]
}

function childOf(walk: ValidationWalk, key: string): string {
  const parent = walk.location.toString()
  return parent === '' ? key : `${parent}.${key}`
}

/** The types have been checked before, so the casts hold. */
function checkEmbeddedMetadata(metadata: unknown, field: string, walk: ValidationWalk): void {
  if (!isJsonObject(metadata)) return
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata as ObjectMeta
  walk.errors.push(
    ...(name === undefined ? [] : validateName(name, 'path-segment').map((why) => invalidValue(`${field}.name`, name, why))),
    ...(namespace === undefined
      ? []
      : validateName(namespace, 'dns-label').map((why) => invalidValue(`${field}.namespace`, namespace, why))),
    ...validateLabels(labels, `${field}.labels`),
    ...validateAnnotations(annotations, `${field}.annotations`),
    ...validateOwnerReferences(ownerReferences, `${field}.ownerReferences`),
    ...validateFinalizers(finalizers, `${field}.finalizers`),
  )
}

function compileRoot(schema: StructuralSchema, integerFormats: boolean): Check {
  const node = compileNode(schema, integerFormats)
  const metadata = leavesMetadataOpen(schema) ? compileNode(objectMetaSchema, integerFormats) : undefined
  // For built-in kinds list types only describe merging; a rule of the kind forbids duplicates.
  const listKeys = integerFormats ? undefined : checkListKeys(schema)
  return (value, old, walk) => {
    node(value, old, walk)
    if (metadata !== undefined && isJsonObject(value) && getOwn(value, 'metadata') !== undefined) {
      walk.inside('.metadata', metadata, value['metadata'], oldField(old, 'metadata'))
    }
    listKeys?.(value, old, walk)
  }
}

const customChecks = new WeakMap<StructuralSchema, Check>()
const builtInChecks = new WeakMap<StructuralSchema, Check>()

function checkOf(schema: StructuralSchema, integerFormats: boolean): Check {
  const cache = integerFormats ? builtInChecks : customChecks
  const known = cache.get(schema)
  if (known !== undefined) return known
  const check = compileRoot(schema, integerFormats)
  cache.set(schema, check)
  return check
}

const nothing: readonly FieldError[] = []

function run(check: Check, value: unknown, old: unknown): readonly FieldError[] {
  const walk = new ValidationWalk()
  check(value, old, walk)
  return walk.errors.length === 0 ? nothing : walk.errors
}

/**
 * Validates a whole resource against its schema, in the wording of the Kubernetes API server. Types
 * of ObjectMeta fields are checked even where the schema omits them; names and labels are not (see
 * `names.ts`), nor are CEL rules. Never throws.
 */
export function validateStructural(value: unknown, schema: StructuralSchema, options: ValidationOptions = {}): readonly FieldError[] {
  const check = checkOf(schema, options.integerFormats === true)
  const errors = run(check, value, uncorrelated)
  // Comparing with the old object costs more than validating, so it is only done when there is
  // something to forgive.
  return errors.length === 0 || options.old === undefined ? errors : run(check, value, options.old)
}
