import type { StatusCause } from '#apimachinery/errors.ts'

/** A field has a value that cannot be. */
export function invalidValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

/** A field has a value that is none of those that there are. */
export function unsupportedValue(field: string, message: string): StatusCause {
  return { reason: 'FieldValueNotSupported', message, field }
}

/**
 * Causes for the items of a list that have the name of an earlier one. `path` is that of the list.
 */
export function duplicateNames(path: string, items: readonly { readonly name: string }[]): StatusCause[] {
  const first = new Map<string, number>()
  return items.flatMap(({ name }, index) => {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, index)
    const message = `${path}[${earlier}] and ${path}[${index}] must not have the same Name.`
    return earlier === undefined ? [] : [invalidValue(`${path}[${index}].name`, message)]
  })
}
