import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { replacedIn } from '../find/replaced.ts'

/** On a revision: the resourceVersion of the VM that has last put it in use again after it had given it up. No two times are alike. */
const takenAgainAnnotation = 'steadyvm.io/taken-again-by'

/**
 * Called before a VM names a revision that it has stored, and gives the VM as it is then. A name that the VM has given up is dropped by whoever thinks that
 * it still is. So it is first taken from what has been given up, and then the revision is touched: who has looked at it before can no longer delete it, and
 * who looks later sees that it is not given up. @throws StatusError Conflict when the VM has changed since it was read, or the revision has just been dropped
 */
export async function takeAgain(
  { client }: { readonly client: Pick<Client, 'patch'> },
  vm: VirtualMachine,
  name: string,
): Promise<VirtualMachine> {
  if (!Object.hasOwn(replacedIn(vm), name)) return vm
  const { namespace = '', name: vmName = '', resourceVersion } = vm.metadata
  const status = { steadyvm: { replaced: { [name]: null } } }
  const body = { metadata: { resourceVersion }, status }
  const now = await client.patch(virtualMachines, { namespace, name: vmName }, { type: 'merge', body }, { subresource: 'status' })
  const annotations = { [takenAgainAnnotation]: now.metadata.resourceVersion ?? '' }
  try {
    await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body: { metadata: { annotations } } })
  } catch (error) {
    throw isNotFound(error) ? conflict(controllerRevisions, name, 'it has just been deleted') : error
  }
  return now
}
