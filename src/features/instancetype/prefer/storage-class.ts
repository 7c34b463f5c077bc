import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { DataVolumeSpec, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Whether a VM has a template of a DataVolume that leaves its storage class open. */
export function leavesStorageClassOpen({ spec }: VirtualMachine): boolean {
  return spec.dataVolumeTemplates?.some(({ spec: volume }) => withClass(volume, 'any') !== volume) === true
}

/**
 * The VM with the preferred storage class wherever its templates of DataVolumes leave it open. The
 * same object when they do nowhere.
 */
export function preferStorageClass(vm: VirtualMachine, { volumes }: VirtualMachinePreferenceSpec): VirtualMachine {
  const preferred = volumes?.preferredStorageClassName ?? ''
  if (preferred === '' || !leavesStorageClassOpen(vm)) return vm
  const dataVolumeTemplates = vm.spec.dataVolumeTemplates?.map((template) => ({ ...template, spec: withClass(template.spec, preferred) }))
  return { ...vm, spec: { ...vm.spec, ...(dataVolumeTemplates === undefined ? {} : { dataVolumeTemplates }) } }
}

/** An empty name is one: it asks for a volume of no class. */
function withClass(volume: DataVolumeSpec, storageClassName: string): DataVolumeSpec {
  const open = (['pvc', 'storage'] as const).filter(
    (format) => volume[format] !== undefined && volume[format].storageClassName === undefined,
  )
  if (open.length === 0) return volume
  return { ...volume, ...Object.fromEntries(open.map((format) => [format, { ...volume[format], storageClassName }])) }
}
