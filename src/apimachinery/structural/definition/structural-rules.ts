import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { compilePattern, patternSize } from '../validation/patterns.ts'
import type { StructuralSchema } from '../schema.ts'
import { forEachField, forEachItem, forEachJunction, forEachValue, someSchema, type VisitSchema } from './walk-schema.ts'

type Level = 'root' | 'item' | 'field'

/**
 * Keywords that are allowed only in the structural part of a schema, not inside allOf, anyOf, oneOf
 * or not; and the form of the error.
 */
const structuralKeywords: readonly [keyof StructuralSchema | 'externalDocs', 'empty' | 'undefined' | 'false'][] = [
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['externalDocs', 'undefined'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

/**
 * Returns the reasons why a schema is not structural, in Kubernetes' wording and order: every value
 * must have exactly one type that its position determines, and value restrictions may only refer to
 * declared fields.
 */
export function checkStructure(schema: StructuralSchema, field: string): FieldError[] {
  const errors = checkPatternSizes(schema, field)
  if (errors.length > 0) return errors
  checkNode(schema, 'root', field, errors)
  checkCompleteness(schema, field, errors)
  return errors.length < 2 ? errors : errors.toSorted((a, b) => compare(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// Large CRDs have thousands of nearly always valid schemas: all share one list of errors.
function checkNode(schema: StructuralSchema, level: Level, field: string, errors: FieldError[]): void {
  if (schema.type === 'array' && schema.items === undefined) errors.push(requiredValue(`${field}.items`, 'must be specified'))
  forEachItem(schema, field, (inner, place) => checkNode(inner, 'item', place, errors))
  forEachField(schema, field, (inner, place) => checkNode(inner, 'field', place, errors))
  if (level === 'root' && schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    errors.push(forbiddenValue(`${field}.additionalProperties`, 'must not be used at the root'))
  }
  forEachValue(schema, field, (inner, place) => checkNode(inner, 'field', place, errors))
  if (isFlag(schema, 'x-kubernetes-int-or-string')) errors.push(...checkExtensions(schema, field))
  checkRestrictions(schema, field, errors)
  const wrongType = checkType(schema, level, field)
  if (wrongType !== undefined) errors.push(wrongType)
  const isEmbedded = isFlag(schema, 'x-kubernetes-embedded-resource')
  if (level === 'root' || isEmbedded) errors.push(...checkResourceFields(schema, level, field))
  if (isEmbedded) errors.push(...checkEmbedded(schema, field))
}

function isFlag(schema: StructuralSchema, key: keyof StructuralSchema): boolean {
  return schema[key] === true
}

function checkExtensions(schema: StructuralSchema, field: string): FieldError[] {
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((key) => isFlag(schema, key))
    .map((key) => invalidValue(`${field}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'))
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(schema: StructuralSchema, level: Level, field: string): FieldError | undefined {
  const { type = '' } = schema as { type?: string }
  if (type !== 'object' && isFlag(schema, 'x-kubernetes-embedded-resource')) {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    return type === '' ? requiredValue(`${field}.type`, why) : invalidValue(`${field}.type`, type, why)
  }
  if (type === '') {
    const isTypeless = isFlag(schema, 'x-kubernetes-int-or-string') || isFlag(schema, 'x-kubernetes-preserve-unknown-fields')
    return isTypeless ? undefined : requiredValue(`${field}.type`, missingType[level])
  }
  return level === 'root' && type !== 'object' ? invalidValue(`${field}.type`, type, 'must be object at the root') : undefined
}

function checkEmbedded(schema: StructuralSchema, field: string): FieldError[] {
  const isOpen = isFlag(schema, 'x-kubernetes-preserve-unknown-fields')
  return [
    ...(schema.additionalProperties === undefined
      ? []
      : [forbiddenValue(`${field}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')]),
    ...(isOpen || Object.keys(schema.properties ?? {}).length > 0
      ? []
      : [
          requiredValue(
            `${field}.properties`,
            'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
          ),
        ]),
  ]
}

/**
 * The server defines apiVersion, kind and metadata: a schema may repeat them, and restrict names.
 */
function checkResourceFields({ properties = {} }: StructuralSchema, level: Level, field: string): FieldError[] {
  const place = (key: string): string => `${field}.properties[${key}]`
  const texts = ['kind', 'apiVersion'].flatMap((key) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    return property === undefined || property.type === 'string'
      ? []
      : [invalidValue(`${place(key)}.type`, property.type ?? '', 'must be string')]
  })
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined
  if (metadata === undefined) return texts
  const isObject = metadata.type === 'object'
  return [
    ...texts,
    ...(isObject ? [] : [invalidValue(`${place('metadata')}.type`, metadata.type ?? '', 'must be object')]),
    ...(level === 'root' && restrictsMoreThanNames(metadata)
      ? [
          forbiddenValue(
            place('metadata'),
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]
      : []),
  ]
}

function restrictsMoreThanNames({ type: _type, default: _default, properties = {}, ...rest }: StructuralSchema): boolean {
  return Object.keys(rest).length > 0 || Object.keys(properties).some((key) => key !== 'name' && key !== 'generateName')
}

function isIntOrString(schemas: readonly StructuralSchema[] | undefined): boolean {
  return schemas?.length === 2 && JSON.stringify(schemas) === '[{"type":"integer"},{"type":"string"}]'
}

/** Checks value restrictions: pattern, and the schemas in allOf, anyOf, oneOf and not. */
function checkRestrictions(schema: StructuralSchema, field: string, errors: FieldError[]): void {
  // An int-or-string may spell out its two types, in one of two forms.
  const first = schema.allOf?.[0]
  const spelledOut = isIntOrString(schema.anyOf) ? schema.anyOf : isIntOrString(first?.anyOf) ? first?.anyOf : undefined
  checkJunctions(schema, field, spelledOut, errors)
  checkPattern(schema, field, errors)
}

type SpelledOut = readonly StructuralSchema[] | undefined

function checkJunctions(schema: StructuralSchema, field: string, spelledOut: SpelledOut, errors: FieldError[]): void {
  forEachJunction(schema, field, (inner, place) => {
    if (spelledOut?.includes(inner) !== true) checkRestriction(inner, place, spelledOut, errors)
  })
}

function checkPattern({ pattern }: StructuralSchema, field: string, errors: FieldError[]): void {
  if (pattern === undefined || pattern === '') return
  try {
    compilePattern(pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    errors.push(invalidValue(`${field}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`))
  }
}

/**
 * Limit on the total size of all distinct patterns of a schema. Those of KubeVirt are a few
 * hundred; compiling a schema full of large ones would take minutes.
 */
const largestPatterns = 50_000

/** Refuses patterns that are too large before compiling any. */
function checkPatternSizes(schema: StructuralSchema, field: string): FieldError[] {
  const patterns = new Set<string>()
  let size = 0
  const isTooMuch = someSchema(schema, ({ pattern }) => {
    if (pattern === undefined || patterns.has(pattern)) return false
    patterns.add(pattern)
    size += patternSize(pattern)
    return size > largestPatterns
  })
  if (!isTooMuch) return []
  const why = `the patterns of a schema may match at most ${largestPatterns} characters together, repetitions counted as often as they say: use maxLength instead of large repetitions`
  return [invalidValue(field, '', why)]
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function checkRestriction(schema: StructuralSchema, field: string, spelledOut: SpelledOut, errors: FieldError[]): void {
  checkJunctions(schema, field, spelledOut, errors)
  checkPattern(schema, field, errors)
  const inner: VisitSchema = (below, place) => checkRestriction(below, place, undefined, errors)
  forEachItem(schema, field, inner)
  forEachField(schema, field, inner)
  const said: Readonly<Record<string, unknown>> = { ...schema }
  if (isSaid(said['type'])) errors.push(forbiddenValue(`${field}.type`, 'must be empty to be structural'))
  for (const [key, wanted] of structuralKeywords) {
    const isThere = wanted === 'undefined' ? said[key] !== undefined && said[key] !== false : isSaid(said[key])
    if (isThere) errors.push(forbiddenValue(`${field}.${key}`, `must be ${wanted} to be structural`))
  }
  if (Object.hasOwn(schema.properties ?? {}, 'metadata')) {
    errors.push(forbiddenValue(`${field}.properties[metadata]`, 'must not be specified in a nested context'))
  }
}

/**
 * Every field or list that a restriction of the root speaks of must be declared. Kubernetes does
 * not look at those further inside.
 */
function checkCompleteness(schema: StructuralSchema, field: string, errors: FieldError[]): void {
  forEachJunction(schema, field, (inner, place) => checkDeclared(inner, schema, field, place, errors))
}

function checkDeclared(
  restriction: StructuralSchema,
  declared: StructuralSchema | undefined,
  field: string,
  place: string,
  errors: FieldError[],
): void {
  if (declared === undefined) return void errors.push(requiredValue(field, `because it is defined in ${place}`))
  forEachJunction(restriction, place, (inner, below) => checkDeclared(inner, declared, field, below, errors))
  forEachItem(restriction, place, (inner, below) => checkDeclared(inner, declared.items, `${field}.items`, below, errors))
  forEachField(restriction, place, (inner, below, key) => {
    const property = Object.hasOwn(declared.properties ?? {}, key) ? declared.properties?.[key] : undefined
    checkDeclared(inner, property, `${field}.properties[${key}]`, below, errors)
  })
}
