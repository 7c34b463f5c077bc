import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Reports whether a DataVolume template has no storage class. */
export function leavesStorageClassOpen({ spec }: VirtualMachine): boolean {
  return spec.dataVolumeTemplates?.some(({ spec: volume }) => withClass(volume, 'any') !== volume) === true
}

/**
 * Sets the preferred storage class in DataVolume templates without one. Returns the same object
 * when there are none.
 */
export function preferStorageClass(vm: VirtualMachine, { volumes }: VirtualMachinePreferenceSpec): VirtualMachine {
  const preferred = volumes?.preferredStorageClassName ?? ''
  if (preferred === '' || !leavesStorageClassOpen(vm)) return vm
  const dataVolumeTemplates = vm.spec.dataVolumeTemplates?.map((template) => ({ ...template, spec: withClass(template.spec, preferred) }))
  return { ...vm, spec: { ...vm.spec, ...(dataVolumeTemplates === undefined ? {} : { dataVolumeTemplates }) } }
}

/** An empty name is set: it asks for a volume without class. */
function withClass(volume: DataVolumeSpec, storageClassName: string): DataVolumeSpec {
  const open = (['pvc', 'storage'] as const).filter(
    (format) => volume[format] !== undefined && volume[format].storageClassName === undefined,
  )
  if (open.length === 0) return volume
  return { ...volume, ...Object.fromEntries(open.map((format) => [format, { ...volume[format], storageClassName }])) }
}
