import type { StatusCause } from '#apimachinery/errors.ts'

/** Returns the cause for a value that is not valid. */
export function invalidValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

/** Returns the cause for a value that is missing. */
export function requiredValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueRequired', message, field }
}

/** Returns the cause for a value that another one has, too. */
export function duplicateValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueDuplicate', message, field }
}

/** Returns the cause for a value that is not among those supported. */
export function unsupportedValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueNotSupported', message, field }
}

/** Returns causes for list items with the name of an earlier one. `path` is that of the list. */
export function duplicateNames(path: string, items: readonly { readonly name: string }[]): StatusCause[] {
  const first = new Map<string, number>()
  return items.flatMap(({ name }, index) => {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, index)
    const message = `${path}[${earlier}] and ${path}[${index}] must not have the same Name.`
    return earlier === undefined ? [] : [invalidValue(`${path}[${index}].name`, message)]
  })
}
