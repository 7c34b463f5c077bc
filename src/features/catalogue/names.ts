import { managedByLabel, manager } from '#api/access/managed.ts'
/** Prefix of the labels and annotations that describe an instance type or preference. */
export const prefix = 'instancetype.kubevirt.io/'

/** Version of the tables; raise it with every change of the rendered objects. */
export const catalogueVersion = 'v1.0.0'

/** Labels of all catalogue objects. */
export const catalogueLabels: Readonly<Record<string, string>> = {
  [managedByLabel]: manager,
  'app.kubernetes.io/component': 'kubevirt',
  [`${prefix}vendor`]: 'steadyvm.io',
  [`${prefix}common-instancetypes-version`]: catalogueVersion,
}

/** Adds the prefix to keys, without those that have no value. */
export function described(values: Readonly<Record<string, string | number | true | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[`${prefix}${key}`, String(value)]])),
  )
}
