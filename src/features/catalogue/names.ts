import { managedByLabel, manager } from '#api/access/managed.ts'
/** Prefix of the labels and annotations that describe an instance type or preference. */
export const prefix = 'instancetype.kubevirt.io/'

/** Version of KubeVirt's common-instancetypes that the tables have the values of. */
const catalogueVersion = 'v1.7.0'

/** Returns the labels of an object: of `steadyvm.io` are those that KubeVirt's catalogue lacks. */
export function catalogueLabels(vendor: 'kubevirt.io' | 'steadyvm.io'): Readonly<Record<string, string>> {
  return {
    [managedByLabel]: manager,
    'app.kubernetes.io/component': 'kubevirt',
    [`${prefix}vendor`]: vendor,
    [`${prefix}common-instancetypes-version`]: catalogueVersion,
  }
}

/** Adds the prefix to keys, without those that have no value. */
export function described(values: Readonly<Record<string, string | number | true | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[`${prefix}${key}`, String(value)]])),
  )
}
