import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { replacedIn } from '../find/replaced.ts'
import type { ClaimPorts } from './claim.ts'

/** On a revision: the resourceVersion of the VM that has last put it in use again after it had given it up. No two times are alike. */
const takenAgainAnnotation = 'steadyvm.io/taken-again-by'

/**
 * Called before a VM names a revision that it has stored. A name that the VM has given up is dropped by whoever thinks that it still is: touching the
 * revision makes them look again.
 */
export async function takeAgain({ client }: Pick<ClaimPorts, 'client'>, vm: VirtualMachine, name: string): Promise<void> {
  if (!Object.hasOwn(replacedIn(vm), name)) return
  const body = { metadata: { annotations: { [takenAgainAnnotation]: vm.metadata.resourceVersion ?? '' } } }
  await client.patch(controllerRevisions, { namespace: vm.metadata.namespace ?? '', name }, { type: 'merge', body })
}
