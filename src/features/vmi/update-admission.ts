import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { changesBetween } from '#features/instancetype/index.ts'
import { names } from './names.ts'

/** Labels that controllers and node agents select by. KubeVirt's list. */
const reservedLabels = [
  names.createdByLabel,
  names.migrationJobLabel,
  names.migrationTargetLabel,
  names.nodeNameLabel,
  names.schedulableLabel,
  'kubevirt.io/install-strategy',
] as const

/**
 * Validates a change of a VMI by a client other than the system's components. The spec is what the
 * guest runs with and changes only through its VM. VMIs have no status subresource, so that every
 * client that may update them could change status, which node agents act on: guest ownership, and
 * the launch arguments of a migrating guest. KubeVirt's rules and texts, except for the status.
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

/** Validates the labels of a VMI that a client other than the system's components creates. */
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
