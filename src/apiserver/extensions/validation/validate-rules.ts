import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { checkRules } from '#apimachinery/structural/rules/check-rules.ts'
import { isAlike } from './validate-versions.ts'

/**
 * Validates the CEL rules of an otherwise valid definition. Imported only for definitions with
 * rules.
 */
export function validateRules({ spec }: CustomResourceDefinition): FieldError[] {
  const isCommon = isAlike(spec.versions, 'schema')
  return spec.versions.flatMap(({ schema }, index) => {
    if (schema?.openAPIV3Schema === undefined || (isCommon && index > 0)) return []
    return checkRules(
      schema.openAPIV3Schema,
      isCommon ? 'spec.validation.openAPIV3Schema' : `spec.versions[${index}].schema.openAPIV3Schema`,
    )
  })
}
