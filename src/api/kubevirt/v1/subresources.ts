import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

const subresources = { group: 'subresources.kubevirt.io', version: 'v1', namespaced: true } as const

/** Subresources of VMs, such as `start`. Those that change a VM are answered without an object. */
export const virtualMachineSubresources: ResourceType<KubeObject> = { ...subresources, kind: 'VirtualMachine', plural: 'virtualmachines' }

/** Subresources of VMIs, such as `usage`. */
export const virtualMachineInstanceSubresources: ResourceType<KubeObject> = {
  ...subresources,
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
}
