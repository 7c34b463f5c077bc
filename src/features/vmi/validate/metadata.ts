import type { StatusCause } from '#apimachinery/errors.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { isGateOpen } from '#features/cluster-config/index.ts'
import { invalidValue, when, type ValidationConfig } from './cause.ts'

/** Annotations that ask for a feature, the gate of each, and its name in KubeVirt's message. */
const gated: readonly { readonly annotation: string; readonly gate: string; readonly name: string }[] = [
  { annotation: 'kubevirt.io/ignitiondata', gate: 'ExperimentalIgnitionSupport', name: 'ExperimentalIgnitionSupport' },
  { annotation: 'hooks.kubevirt.io/hookSidecars', gate: 'Sidecar', name: 'sidecar' },
]

/**
 * Validates annotations that ask for a feature: its gate must be open. `path` is that of the
 * metadata: `metadata` or `spec.template.metadata`.
 */
export function validateAnnotations(
  { annotations = {} }: Pick<ObjectMeta, 'annotations'>,
  path: string,
  { featureGates }: ValidationConfig,
): readonly StatusCause[] {
  return gated.flatMap(({ annotation, gate, name }) =>
    when(
      (annotations[annotation] ?? '') !== '' && !isGateOpen(gate, featureGates),
      invalidValue(
        `${path}.annotations`,
        `${name} feature gate is not enabled in kubevirt-config, invalid entry ${path}.annotations.${annotation}`,
      ),
    ),
  )
}

/** Returns warnings about such annotations where their gate is open: nothing acts on them yet. */
export function warnOfAnnotations({ annotations = {} }: Pick<ObjectMeta, 'annotations'>, path: string): string[] {
  return gated.flatMap(({ annotation }) =>
    (annotations[annotation] ?? '') === '' ? [] : [`${path}.annotations.${annotation} is kept, but nothing acts on it yet`],
  )
}
