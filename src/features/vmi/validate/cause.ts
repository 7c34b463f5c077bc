import type { StatusCause } from '#apimachinery/errors.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'

/** Configuration of the cluster that the validation of a VMI depends on. */
export type ValidationConfig = Pick<ClusterConfig, 'featureGates' | 'permitsPodBridge' | 'emulatedMachines' | 'rolloutStrategy'>

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

/** Returns the causes of a rule that a spec breaks or not. */
export function when(isBroken: boolean, ...causes: readonly StatusCause[]): readonly StatusCause[] {
  return isBroken ? causes : []
}

/**
 * Returns causes for list items with the name of an earlier one. `path` is that of the list.
 * `itemPath` prints one of its items.
 */
export function duplicateNames(path: string, items: readonly { readonly name: string }[]): StatusCause[] {
  const first = new Map<string, number>()
  return items.flatMap(({ name }, index) => {
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, index)
    const message = `${path}[${index}] and ${path}[${earlier}] must not have the same Name.`
    return earlier === undefined ? [] : [invalidValue(`${path}[${index}].name`, message)]
  })
}
