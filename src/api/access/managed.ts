/** Whose an object is. */
export const managedByLabel = 'app.kubernetes.io/managed-by'

/**
 * Value of the managed-by label. KubeVirt's name, so that objects of its operator are taken over
 * and not duplicated.
 */
export const manager = 'virt-operator'

/** Labels of all that comes with the system. */
export const systemLabels: Readonly<Record<string, string>> = { 'app.kubernetes.io/part-of': 'steadyvm' }

/** Labels of all that the operator installs. */
export const managedLabels: Readonly<Record<string, string>> = { ...systemLabels, [managedByLabel]: manager }

/** Selects what the operator keeps. */
export const managedSelector: string = `${managedByLabel}=${manager}`

/**
 * Whether labels say that an object is the operator's: what it does not need any more it may
 * delete.
 */
export function isManaged(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.[managedByLabel] === manager
}
