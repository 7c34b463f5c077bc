import type { CustomResourceDefinitionNames } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'

const mixedCase = 'may have mixed case, but should otherwise match: '

/** Validates names that a spec requires and a status does not. */
export function validateRequiredNames(names: CustomResourceDefinitionNames, field: string): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((key) => (names[key] ?? '') === '')
    .map((key) => requiredValue(`${field}.${key}`))
}

/** Validates names, each of which must be a DNS label. */
export function validateNames(names: CustomResourceDefinitionNames, field: string): FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names
  const label = (place: string, name: string, value: string = name, prefix: string = ''): FieldError[] => {
    const faults = validateName(name, 'dns-1035-label')
    return faults.length === 0 ? [] : [invalidValue(`${field}.${place}`, value, prefix + faults.join(','))]
  }
  const optional = (place: string, name: string): FieldError[] => (name === '' ? [] : label(place, name))
  const mixed = (place: string, name: string): FieldError[] => (name === '' ? [] : label(place, name.toLowerCase(), name, mixedCase))
  return [
    ...optional('plural', plural),
    ...optional('singular', singular),
    ...mixed('kind', kind),
    ...mixed('listKind', listKind),
    ...shortNames.flatMap((name, index) => label(`shortNames[${index}]`, name)),
    ...(kind !== '' && kind === listKind ? [invalidValue(`${field}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...categories.flatMap((name, index) => label(`categories[${index}]`, name)),
  ]
}
