import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Ports } from './ports.ts'

/**
 * Patches the changed fields of the VMI's status in one write, if any. The resourceVersion
 * precondition protects writes of the VMI controller.
 */
export async function patchStatus(
  { client }: Pick<Ports, 'client'>,
  vmi: VirtualMachineInstance,
  wanted: Partial<VirtualMachineInstanceStatus>,
): Promise<VirtualMachineInstance | undefined> {
  const status = changedStatus(vmi, wanted)
  if (Object.keys(status).length === 0) return vmi
  return found(patchIfUnchanged(client, virtualMachineInstances, vmi, { status }))
}

/** Returns the fields of `status` that differ from the VMI's. */
export function changedStatus(
  vmi: VirtualMachineInstance,
  status: Partial<VirtualMachineInstanceStatus>,
): Partial<VirtualMachineInstanceStatus> {
  const old: Partial<VirtualMachineInstanceStatus> = vmi.status ?? {}
  return Object.fromEntries(Object.entries(status).filter(([field, value]) => !deepEqual(old[field as keyof typeof old], value)))
}
