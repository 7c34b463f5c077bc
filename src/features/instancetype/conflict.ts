import type { StatusCause } from '#apimachinery/errors.ts'

/** A field that both the VM and its instance type set. */
export interface Conflict {
  /**
   * Path from the VM's root, `spec.template.spec.domain.memory.guest`, or `annotations.<key>`, in
   * KubeVirt's spelling.
   */
  readonly field: string
  /** Path of the VM's value from the VMI's root, `spec.domain.memory.guest`. */
  readonly path: string
}

/** Path of the template's spec in a VM. */
export const templateSpecPath = 'spec.template.spec'

/** Returns one message for all conflicts. */
export function describeConflicts(conflicts: readonly Conflict[]): string {
  return `VM field(s) ${conflicts.map((conflict) => conflict.field).join(', ')} conflicts with selected instance type`
}

/** Returns one status cause for each conflict. */
export function conflictCauses(conflicts: readonly Conflict[]): StatusCause[] {
  return conflicts.map((conflict) => ({ reason: 'FieldValueInvalid', message: describeConflicts([conflict]), field: conflict.field }))
}
