import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isNotFound, notFound, type ErrorSubject } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

/** Subject of errors about a guest, as KubeVirt writes it. */
export const guestSubject: ErrorSubject = { group: 'kubevirt.io', plural: 'virtualmachineinstance' }

/** Reads a VMI. @throws StatusError 404 in KubeVirt's words */
export async function getGuest(client: Pick<Client, 'get'>, namespace: string, name: string): Promise<VirtualMachineInstance> {
  try {
    return await client.get(virtualMachineInstances, { namespace, name })
  } catch (error) {
    throw isNotFound(error) ? notFound(guestSubject, name) : error
  }
}
