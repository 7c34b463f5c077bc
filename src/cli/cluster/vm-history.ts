import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { revisionHistory } from '#features/instancetype/index.ts'
import { numberEntries, type NumberedEntry } from '#features/plan/index.ts'

/** Lists the instance type and preference revisions of a VM, newest first. */
export async function historyOf(client: Pick<Client, 'get' | 'list'>, vm: VirtualMachine): Promise<NumberedEntry[]> {
  const { namespace = '', name = '' } = vm.metadata
  const [revisions, vmi] = await Promise.all([
    client.list(controllerRevisions, { namespace }),
    found(client.get(virtualMachineInstances, { namespace, name })),
  ])
  const started = revisions.items.find(({ metadata }) => metadata.name === vmi?.status?.virtualMachineRevisionName)
  return numberEntries(revisionHistory(vm, revisions.items, started))
}
