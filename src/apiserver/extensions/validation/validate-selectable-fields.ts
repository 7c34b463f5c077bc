import type { SelectableField } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

const mostFields = 8
const scalarTypes: readonly string[] = ['string', 'boolean', 'integer']

/** Validates selectable fields, which must be declared scalars. */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: StructuralSchema | undefined,
  field: string,
  old: readonly SelectableField[],
): FieldError[] {
  if (fields.length > 0 && schema === undefined) {
    return [invalidValue(field, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')]
  }
  const seen = new Set<string>()
  const errors = fields.flatMap(({ jsonPath }, index) => validateField(jsonPath, schema, `${field}[${index}].jsonPath`, seen))
  const wasTooMany = old.length > mostFields && deepEqual(fields, old)
  if (seen.size <= mostFields || wasTooMany) return errors
  return [...errors, { reason: 'FieldValueTooMany', field, message: `Too many: ${seen.size}: must have at most ${mostFields} items` }]
}

function validateField(path: string, schema: StructuralSchema | undefined, field: string, seen: Set<string>): FieldError[] {
  if (path === '') return [requiredValue(field)]
  const found = declared(schema, path)
  if (typeof found === 'string') return [invalidValue(field, path, `is an invalid path: ${found}`)]
  const repeated = seen.has(path)
  seen.add(path)
  const why = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
  return [
    ...(path.startsWith('.metadata.') ? [invalidValue(field, path, 'must not point to fields in metadata')] : []),
    ...(scalarTypes.includes(found.type ?? '') ? [] : [invalidValue(field, path, why)]),
    ...(repeated ? [duplicateValue(field, path)] : []),
  ]
}

/** Returns the schema at a path such as `.spec.name`, or why there is none. */
function declared(schema: StructuralSchema | undefined, path: string): StructuralSchema | string {
  if (!path.startsWith('.')) return path.startsWith('[') ? 'array notation is not allowed' : `expected [ or . but got: ${path[0] ?? ''}`
  if (path.endsWith('.')) return 'unexpected end of JSON path'
  let found = schema
  for (const step of path.slice(1).split('.')) {
    const [name = ''] = step.split('[', 1)
    found = found !== undefined && Object.hasOwn(found.properties ?? {}, name) ? found.properties?.[name] : undefined
    if (found !== undefined && step.includes('[')) return 'array notation is not allowed'
  }
  return found ?? 'does not refer to a valid field'
}
