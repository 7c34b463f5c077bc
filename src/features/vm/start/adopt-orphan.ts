import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { found } from '#client/found.ts'
import { ownerReferenceTo } from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'
import { isDeleting } from '../vmi-state.ts'

/**
 * Makes a VMI of the VM's name that nobody manages the VM's own: what `kubectl delete vm
 * --cascade=orphan` has left is taken over, with its guest, by the next VM of that name. Undefined
 * when there is none to take.
 */
export async function adopt(ports: Pick<Ports, 'client' | 'vmis'>, vm: VirtualMachine): Promise<VirtualMachineInstance | undefined> {
  const { name = '', namespace = '' } = vm.metadata
  const vmi = ports.vmis.get(namespace, name)
  if (isDeleting(vm) || vmi === undefined || isDeleting(vmi)) return undefined
  const { ownerReferences = [], resourceVersion } = vmi.metadata
  if (ownerReferences.some(({ controller }) => controller === true)) return undefined
  const metadata = { resourceVersion, ownerReferences: [...ownerReferences, ownerReferenceTo(vm)] }
  return found(ports.client.patch(virtualMachineInstances, { namespace, name }, { type: 'merge', body: { metadata } }))
}
