import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VirtualMachineExport } from './virtual-machine-export.ts'

/** `/apis/export.kubevirt.io/v1/virtualmachineexports` */
export const virtualMachineExports: ResourceType<VirtualMachineExport> = {
  group: 'export.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineExport',
  plural: 'virtualmachineexports',
  namespaced: true,
}
