import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VirtualMachineClone } from './virtual-machine-clone.ts'

/** `/apis/clone.kubevirt.io/v1beta1/virtualmachineclones` */
export const virtualMachineClones: ResourceType<VirtualMachineClone> = {
  group: 'clone.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineClone',
  plural: 'virtualmachineclones',
  namespaced: true,
}
