import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirtFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { changedFields } from '#api/usage/used-fields.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { defaultClusterConfig } from './cluster-config.ts'
import type { ConfigProblem } from './setting-reader.ts'
import { readClusterConfig, unknownGates } from './to-cluster-config.ts'

/**
 * Refuses invalid settings. Settings that were invalid before may stay, so that others can be
 * changed.
 */
export function validateKubeVirt(kubevirt: KubeVirt, old: KubeVirt | undefined): StatusCause[] {
  const known = new Set(old === undefined ? [] : problemsOf(old).map(textOf))
  return problemsOf(kubevirt)
    .filter((problem) => !known.has(textOf(problem)))
    .map((problem) => ({ reason: 'FieldValueInvalid', field: problem.field, message: textOf(problem) }))
}

/**
 * Returns warnings about settings without effect, which may be mistakes, or belong to another
 * version. KubeVirt reports neither. Those that an update leaves as they were are not named again.
 */
export function warnOfSettings(kubevirt: KubeVirt, old: KubeVirt | undefined): string[] {
  const fields = changedFields(kubevirt.spec, old?.spec, kubeVirtFieldsNotActedOn)
  const known = new Set((old === undefined ? [] : unknownGates(old)).map(({ field, gate }) => `${field} ${gate}`))
  const gates = unknownGates(kubevirt).filter(({ field, gate }) => !known.has(`${field} ${gate}`))
  const lists = [...new Set(gates.map(({ field }) => field))]
  return [
    ...fields.map((field) => `spec.${field} is kept, but nothing acts on it yet`),
    ...lists.map((list) => {
      const names = gates.filter(({ field }) => field === list).map(({ gate }) => JSON.stringify(gate))
      return `${list} names feature gates without effect here: ${names.join(', ')}`
    }),
  ]
}

/**
 * Returns the reason why a second KubeVirt object is refused: one object configures a cluster. A
 * second object that bypasses admission has no effect.
 */
export function whyNotCreated(
  present: readonly KubeVirt[],
  created: { readonly namespace: string; readonly name: string },
): string | undefined {
  // The API server answers AlreadyExists for the same name.
  const other = present.find(({ metadata }) => metadata?.name !== created.name || metadata.namespace !== created.namespace)
  return other && `Kubevirt is already created: ${other.metadata?.namespace}/${other.metadata?.name}`
}

/** Returns the invalid settings, with the defaults as previous values. */
export function problemsOf(kubevirt: KubeVirt): readonly ConfigProblem[] {
  return readClusterConfig(kubevirt, defaultClusterConfig).problems
}

function textOf({ field, message }: ConfigProblem): string {
  return `${field} ${message}`
}
