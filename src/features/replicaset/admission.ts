import type { VirtualMachineInstanceReplicaSet } from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { type ClusterConfig, completeVmiSpecInto } from '#features/cluster-config/index.ts'
import type { Verdict } from '#features/instancetype/index.ts'
import { validateAnnotations, validateStartable, validateVmiSpec, warnOfAnnotations } from '#features/vmi/index.ts'
import { whyNotSelected } from '#apimachinery/selectors/why-not-selected.ts'

/**
 * Validates a replica set, and its template as the VMI that it becomes: with defaults. KubeVirt's
 * rules and texts.
 */
export function validateReplicaSet({ spec }: VirtualMachineInstanceReplicaSet, config: ClusterConfig): Verdict {
  const { metadata = {} } = spec.template
  const vmi = structuredClone(spec.template.spec)
  completeVmiSpecInto(vmi, config)
  const fault = whyNotSelected(spec.selector, metadata.labels)
  const causes: StatusCause[] = [
    ...(fault === undefined ? [] : [{ reason: 'FieldValueInvalid', message: fault, field: 'spec.selector' }]),
    ...validateVmiSpec(vmi, 'spec.template.spec', config),
    ...validateStartable(vmi, 'spec.template.spec'),
    ...validateAnnotations(metadata, 'spec.template.metadata', config),
  ]
  return { causes, warnings: warnOfAnnotations(metadata, 'spec.template.metadata') }
}
