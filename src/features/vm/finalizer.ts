import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { vmFinalizer } from './names.ts'

type Ports = { readonly client: Pick<Client, 'patch'> }

/** Adds the controller's finalizer, so that a deleted VM stays until its VMI is gone. */
export async function addFinalizer({ client }: Ports, vm: VirtualMachine): Promise<VirtualMachine> {
  const { finalizers = [] } = vm.metadata
  if (finalizers.includes(vmFinalizer)) return vm
  return patchIfUnchanged(client, virtualMachines, vm, { metadata: { finalizers: [...finalizers, vmFinalizer] } })
}

/** Removes the controller's finalizer. A VM that is gone already is no error. */
export async function removeFinalizer({ client }: Ports, vm: VirtualMachine): Promise<void> {
  const { finalizers = [] } = vm.metadata
  if (!finalizers.includes(vmFinalizer)) return
  const rest = finalizers.filter((finalizer) => finalizer !== vmFinalizer)
  await found(patchIfUnchanged(client, virtualMachines, vm, { metadata: { finalizers: rest } }))
}
