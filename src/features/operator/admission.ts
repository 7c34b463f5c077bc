import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { readTerms } from '#features/certificates/index.ts'

/** Something about an installation that cannot be done. */
export interface InstallationProblem {
  /** Path from the object's root. */
  readonly field: string
  readonly message: string
}

/** Refuses what the operator could not act on. What was wrong before may stay, so that the rest can be changed. Pure. */
export function validateInstallation(kubevirt: KubeVirt, old: KubeVirt | undefined): StatusCause[] {
  const known = new Set(old === undefined ? [] : problemsOf(old).map(textOf))
  return problemsOf(kubevirt)
    .filter((problem) => !known.has(textOf(problem)))
    .map((problem) => ({ reason: 'FieldValueInvalid', field: problem.field, message: textOf(problem) }))
}

function problemsOf(kubevirt: KubeVirt): readonly InstallationProblem[] {
  return readTerms(kubevirt).problems
}

function textOf({ field, message }: InstallationProblem): string {
  return `${field} ${message}`
}
