import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '../schema.ts'
import { checkDefaults } from './default-rules.ts'
import { checkKeywords, hasUnsupported } from './keyword-rules.ts'
import { checkStructure } from './structural-rules.ts'

/**
 * Keywords that a root with a status subresource may have: those that do not restrict status and
 * the rest together.
 */
const besideStatus: readonly [string, string][] = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
]

/**
 * Validates the schema of a custom resource, in Kubernetes' wording; CEL rules excluded. The schema
 * must have been decoded: see `decodeSchema`.
 */
export function validateSchema(schema: StructuralSchema, field: string, options: { readonly hasStatus?: boolean } = {}): FieldError[] {
  const isReadable = !hasUnsupported(schema)
  const structure = isReadable ? checkStructure(schema, field) : []
  return [
    ...(options.hasStatus === true ? checkBesideStatus(schema, field) : []),
    ...(schema.nullable === true ? [forbiddenValue(`${field}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structure,
    // Defaults are only judged by a schema that makes sense.
    ...(isReadable && structure.length === 0 ? checkDefaults(schema, field) : []),
    ...checkKeywords(schema, field),
  ]
}

function checkBesideStatus(schema: StructuralSchema, field: string): FieldError[] {
  const allowed = new Set(besideStatus.map(([, keyword]) => keyword))
  const stray = Object.entries(schema).filter(([key, value]) => value !== false && value !== '' && !allowed.has(key))
  if (schema.type !== undefined && schema.type !== 'object') {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalidValue(`${field}.type`, schema.type, why)]
  }
  if (stray.length === 0) return []
  const names = `[${besideStatus.map(([name]) => name).join(' ')}]`
  return [invalidValue(field, schema, `only ${names} fields are allowed at the root of the schema if the status subresource is enabled`)]
}
