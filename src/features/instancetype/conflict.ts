import type { StatusCause } from '#apimachinery/errors.ts'

/** A field that the VM sets itself although its instance type decides it. */
export interface Conflict {
  /**
   * Path from the VM's root, `spec.template.spec.domain.memory.guest`; annotations are
   * `annotations.<key>`. In KubeVirt's spelling.
   */
  readonly field: string
  /** Path from the VMI's root, `spec.domain.memory.guest`, of the value that the VM sets. */
  readonly path: string
}

/** Where the template's spec lies in a VM. */
export const templateSpecPath = 'spec.template.spec'

/** One sentence for all conflicts. */
export function describeConflicts(conflicts: readonly Conflict[]): string {
  return `VM field(s) ${conflicts.map((conflict) => conflict.field).join(', ')} conflicts with selected instance type`
}

/** The conflicts as causes of a refusal, one for each field. */
export function conflictCauses(conflicts: readonly Conflict[]): StatusCause[] {
  return conflicts.map((conflict) => ({ reason: 'FieldValueInvalid', message: describeConflicts([conflict]), field: conflict.field }))
}
