import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { ownerReferenceTo } from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'

/**
 * Takes ownership of a VMI that has the VM's name and no controller, with its running guest:
 * `kubectl delete vm --cascade=orphan` leaves one. Undefined when there is none.
 */
export async function adoptOrphan(ports: Pick<Ports, 'client' | 'vmis'>, vm: VirtualMachine): Promise<VirtualMachineInstance | undefined> {
  const { name = '', namespace = '' } = vm.metadata
  const vmi = ports.vmis.get(namespace, name)
  if (isBeingDeleted(vm) || vmi === undefined || isBeingDeleted(vmi)) return undefined
  if (controllerOf(vmi) !== undefined) return undefined
  const ownerReferences = [...(vmi.metadata.ownerReferences ?? []), ownerReferenceTo(vm)]
  return found(patchIfUnchanged(ports.client, virtualMachineInstances, vmi, { metadata: { ownerReferences } }))
}
