import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirtFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { usedFields } from '#api/usage/used-fields.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { defaultClusterConfig } from './cluster-config.ts'
import type { ConfigProblem } from './setting-reader.ts'
import { readClusterConfig, unknownGates } from './to-cluster-config.ts'

/** Refuses settings that nobody could act on. Those that were wrong before may stay, so that the others can be changed. */
export function validateKubeVirt(kubevirt: KubeVirt, old: KubeVirt | undefined): StatusCause[] {
  const known = new Set(old === undefined ? [] : problemsOf(old).map(textOf))
  return problemsOf(kubevirt)
    .filter((problem) => !known.has(textOf(problem)))
    .map((problem) => ({ reason: 'FieldValueInvalid', field: problem.field, message: textOf(problem) }))
}

/** Settings that are kept although nothing acts on them, which may be a slip, or another version's. KubeVirt says nothing of either. */
export function warnOfSettings(kubevirt: KubeVirt): string[] {
  const fields = usedFields(kubevirt.spec, kubeVirtFieldsNotActedOn)
  return [
    ...fields.map((field) => `spec.${field} is kept, but nothing acts on it yet`),
    ...unknownGates(kubevirt).map(({ field, gate }) => `${field} names ${JSON.stringify(gate)}, a feature gate that nothing here knows`),
  ]
}

/** One object configures a cluster: what is against making another one. What gets past this is not acted on. */
export function whyNotCreated(
  present: readonly KubeVirt[],
  created: { readonly namespace: string; readonly name: string },
): string | undefined {
  // Whoever makes the same one again is told so in the API server's own words.
  const other = present.find(({ metadata }) => metadata?.name !== created.name || metadata.namespace !== created.namespace)
  return other && `Kubevirt is already created: ${other.metadata?.namespace}/${other.metadata?.name}`
}

/** Settings that nobody could act on, measured by the defaults. */
export function problemsOf(kubevirt: KubeVirt): readonly ConfigProblem[] {
  return readClusterConfig(kubevirt, defaultClusterConfig).problems
}

function textOf({ field, message }: ConfigProblem): string {
  return `${field} ${message}`
}
