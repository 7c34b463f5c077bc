import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VirtualMachinePool } from './virtual-machine-pool.ts'

/** `/apis/pool.kubevirt.io/v1beta1/virtualmachinepools` */
export const virtualMachinePools: ResourceType<VirtualMachinePool> = {
  group: 'pool.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachinePool',
  plural: 'virtualmachinepools',
  namespaced: true,
}
