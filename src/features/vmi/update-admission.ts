import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { changesBetween } from '#features/instancetype/index.ts'
import { names } from './names.ts'

/** Labels by which controllers and node agents find what is theirs. KubeVirt's list. */
const reservedLabels = [
  names.createdByLabel,
  names.migrationJobLabel,
  names.migrationTargetLabel,
  names.nodeNameLabel,
  names.schedulableLabel,
  'kubevirt.io/install-strategy',
] as const

/**
 * What is wrong with a change that somebody other than the system itself makes of a VMI. Its spec
 * is what its guest runs with, and changes only by way of its VM; and VMIs have no status
 * subresource, so that whoever may change them could change their status as well. Node agents act
 * on it: it says which guest is whose, and what a guest that moves was launched with. KubeVirt's
 * rules and words, but for the status.
 */
export function validateVmiUpdate(vmi: VirtualMachineInstance, old: VirtualMachineInstance): StatusCause[] {
  const changed = reservedLabels.filter((label) => vmi.metadata.labels?.[label] !== old.metadata.labels?.[label])
  return [
    ...(changesBetween(old.spec, vmi.spec).length === 0 ? [] : [notSupported('spec', 'update of VMI object is restricted')]),
    ...(changed.length === 0 ? [] : [reserved('modification', changed)]),
    ...(semanticEqual(vmi.status, old.status)
      ? []
      : [{ reason: 'FieldValueInvalid', message: 'status may only be changed by the system itself', field: 'status' }]),
  ]
}

/** What is wrong with the labels of a VMI that somebody other than the system itself makes. */
export function validateVmiLabels({ metadata }: VirtualMachineInstance): StatusCause[] {
  const used = reservedLabels.filter((label) => metadata.labels?.[label] !== undefined)
  return used.length === 0 ? [] : [reserved('creation', used)]
}

function reserved(what: 'creation' | 'modification', labels: readonly string[]): StatusCause {
  const text = `${what} of the following reserved kubevirt.io/ labels on a VMI object is prohibited: ${labels.join(', ')}`
  return notSupported('metadata.labels', text)
}

function notSupported(field: string, message: string): StatusCause {
  return { reason: 'FieldValueNotSupported', message, field }
}
