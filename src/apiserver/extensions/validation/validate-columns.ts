import type { CustomResourceColumnDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { compileJsonPath } from '#apimachinery/json/json-path.ts'

const types: readonly string[] = ['boolean', 'date', 'integer', 'number', 'string']
const formats: readonly string[] = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

/** Validates printer columns. */
export function validateColumns(columns: readonly CustomResourceColumnDefinition[], field: string): FieldError[] {
  return columns.flatMap((column, index) => validateColumn(column, `${field}[${index}]`))
}

function validateColumn({ name, type, format = '', jsonPath }: CustomResourceColumnDefinition, field: string): FieldError[] {
  const oneOf = (known: readonly string[]): string => `must be one of ${known.join(',')}`
  return [
    ...(name === '' ? [requiredValue(`${field}.name`)] : []),
    ...(type === '' ? [requiredValue(`${field}.type`, oneOf(types))] : []),
    ...(type === '' || types.includes(type) ? [] : [invalidValue(`${field}.type`, type, oneOf(types))]),
    ...(format === '' || formats.includes(format) ? [] : [invalidValue(`${field}.format`, format, oneOf(formats))]),
    ...(jsonPath === '' ? [requiredValue(`${field}.JSONPath`)] : validatePath(jsonPath, `${field}.JSONPath`)),
  ]
}

/** Checks JSON paths now; kube-apiserver fails only when it prints the first table. */
function validatePath(path: string, field: string): FieldError[] {
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')]
  try {
    compileJsonPath(path)
    return []
  } catch (error) {
    return [invalidValue(field, path, error instanceof Error ? error.message : String(error))]
  }
}
