/** Label with the name of the manager of an object. */
export const managedByLabel = 'app.kubernetes.io/managed-by'

/**
 * Value of the managed-by label. KubeVirt's operator uses the same value, so that its objects are
 * adopted and not duplicated.
 */
export const manager = 'virt-operator'

/** Labels of all objects that belong to the system. */
export const systemLabels: Readonly<Record<string, string>> = { 'app.kubernetes.io/part-of': 'steadyvm' }

/** Labels of all objects that the operator installs. */
export const managedLabels: Readonly<Record<string, string>> = { ...systemLabels, [managedByLabel]: manager }

/** Label selector for the objects that the operator manages. */
export const managedSelector: string = `${managedByLabel}=${manager}`

/**
 * Reports whether the labels mark an object as managed by the operator. The operator may delete
 * such an object when it is not needed any more.
 */
export function isManaged(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.[managedByLabel] === manager
}
