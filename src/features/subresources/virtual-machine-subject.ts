import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isNotFound, notFound, type ErrorSubject } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

/** Subject of the subresources' errors: KubeVirt's spelling, in the singular. */
export const virtualMachineSubject: ErrorSubject = { group: 'kubevirt.io', plural: 'virtualmachine' }

/** Reads a VM. @throws StatusError 404 in KubeVirt's words */
export async function getMachine(
  client: Pick<Client, 'get'>,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<VirtualMachine> {
  try {
    return await client.get(virtualMachines, { namespace, name }, signal === undefined ? {} : { signal })
  } catch (error) {
    throw isNotFound(error) ? notFound(virtualMachineSubject, name) : error
  }
}
