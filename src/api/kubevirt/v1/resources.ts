import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { KubeVirt } from './kubevirt.ts'
import type { VirtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts'
import type { VirtualMachineInstancePreset } from './virtual-machine-instance-preset.ts'
import type { VirtualMachineInstanceReplicaSet } from './virtual-machine-instance-replica-set.ts'
import type { VirtualMachineInstance } from './virtual-machine-instance.ts'
import type { VirtualMachine } from './virtual-machine.ts'

/** `/apis/kubevirt.io/v1/virtualmachines` */
export const virtualMachines: ResourceType<VirtualMachine> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  namespaced: true,
}

/** `/apis/kubevirt.io/v1/virtualmachineinstances`; the resource has no status subresource. */
export const virtualMachineInstances: ResourceType<VirtualMachineInstance> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  namespaced: true,
  hasStatusSubresource: false,
}

/** `/apis/kubevirt.io/v1/virtualmachineinstancereplicasets` */
export const virtualMachineInstanceReplicaSets: ResourceType<VirtualMachineInstanceReplicaSet> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceReplicaSet',
  plural: 'virtualmachineinstancereplicasets',
  namespaced: true,
}

/** `/apis/kubevirt.io/v1/virtualmachineinstancemigrations` */
export const virtualMachineInstanceMigrations: ResourceType<VirtualMachineInstanceMigration> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  namespaced: true,
}

/** `/apis/kubevirt.io/v1/virtualmachineinstancepresets` */
export const virtualMachineInstancePresets: ResourceType<VirtualMachineInstancePreset> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstancePreset',
  plural: 'virtualmachineinstancepresets',
  namespaced: true,
}

/** `/apis/kubevirt.io/v1/kubevirts` */
export const kubeVirts: ResourceType<KubeVirt> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
}
