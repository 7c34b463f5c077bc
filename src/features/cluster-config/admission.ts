import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { defaultClusterConfig } from '#features/defaults/index.ts'
import type { ConfigProblem } from './setting-reader.ts'
import { readClusterConfig } from './to-cluster-config.ts'

/** Refuses settings that nobody could act on. Those that were wrong before may stay, so that the others can be changed. */
export function validateKubeVirt(kubevirt: KubeVirt, old: KubeVirt | undefined): StatusCause[] {
  const known = new Set(old === undefined ? [] : problemsOf(old).map(textOf))
  return problemsOf(kubevirt)
    .filter((problem) => !known.has(textOf(problem)))
    .map((problem) => ({ reason: 'FieldValueInvalid', field: problem.field, message: textOf(problem) }))
}

function problemsOf(kubevirt: KubeVirt): readonly ConfigProblem[] {
  return readClusterConfig(kubevirt, defaultClusterConfig).problems
}

function textOf({ field, message }: ConfigProblem): string {
  return `${field} ${message}`
}
