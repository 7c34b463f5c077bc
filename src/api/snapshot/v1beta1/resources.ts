import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VirtualMachineRestore } from './virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from './virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from './virtual-machine-snapshot.ts'

/** `/apis/snapshot.kubevirt.io/v1beta1/virtualmachinesnapshots` */
export const virtualMachineSnapshots: ResourceType<VirtualMachineSnapshot> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshot',
  plural: 'virtualmachinesnapshots',
  namespaced: true,
}

/** `/apis/snapshot.kubevirt.io/v1beta1/virtualmachinesnapshotcontents` */
export const virtualMachineSnapshotContents: ResourceType<VirtualMachineSnapshotContent> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  plural: 'virtualmachinesnapshotcontents',
  namespaced: true,
}

/** `/apis/snapshot.kubevirt.io/v1beta1/virtualmachinerestores` */
export const virtualMachineRestores: ResourceType<VirtualMachineRestore> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineRestore',
  plural: 'virtualmachinerestores',
  namespaced: true,
}
