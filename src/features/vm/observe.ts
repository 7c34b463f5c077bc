import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Observed } from './decide.ts'
import type { Ports } from './ports.ts'

/** What the caches say of a VM; undefined when there is no such VM. */
export function observe(ports: Pick<Ports, 'vms' | 'vmis'>, { namespace, name }: Request): Observed | undefined {
  const vm = ports.vms.get(namespace, name)
  if (vm === undefined) return undefined
  const vmi = ports.vmis.get(namespace, name)
  return { vm, vmi: vmi !== undefined && belongsTo(vmi, vm) ? vmi : undefined }
}

/** Whether this VM, and not another one of the same name, manages the VMI. */
export function belongsTo(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  return vmi.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === vm.metadata.uid) === true
}
