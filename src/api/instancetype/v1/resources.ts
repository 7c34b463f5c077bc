import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VirtualMachineClusterInstancetype, VirtualMachineInstancetype } from './virtual-machine-instancetype.ts'
import type { VirtualMachineClusterPreference, VirtualMachinePreference } from './virtual-machine-preference.ts'

/** `/apis/instancetype.kubevirt.io/v1/virtualmachineinstancetypes` */
export const virtualMachineInstancetypes: ResourceType<VirtualMachineInstancetype> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstancetype',
  plural: 'virtualmachineinstancetypes',
  namespaced: true,
}

/** `/apis/instancetype.kubevirt.io/v1/virtualmachineclusterinstancetypes` */
export const virtualMachineClusterInstancetypes: ResourceType<VirtualMachineClusterInstancetype> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineClusterInstancetype',
  plural: 'virtualmachineclusterinstancetypes',
  namespaced: false,
}

/** `/apis/instancetype.kubevirt.io/v1/virtualmachinepreferences` */
export const virtualMachinePreferences: ResourceType<VirtualMachinePreference> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachinePreference',
  plural: 'virtualmachinepreferences',
  namespaced: true,
}

/** `/apis/instancetype.kubevirt.io/v1/virtualmachineclusterpreferences` */
export const virtualMachineClusterPreferences: ResourceType<VirtualMachineClusterPreference> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineClusterPreference',
  plural: 'virtualmachineclusterpreferences',
  namespaced: false,
}
