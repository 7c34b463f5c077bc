import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { replacedNames } from '../find/replaced-names.ts'

/**
 * On a revision: the resourceVersion of who has last taken it, as it was there already, to name it
 * from then on. No two times are alike.
 */
const takenAgainAnnotation = 'steadyvm.io/taken-again-by'

/**
 * Called before a VM names revisions that it has stored, and gives the VM as it is then. A name
 * that the VM has given up is dropped by whoever thinks that it still is. So it is first taken from
 * what has been given up, and then the revision is touched: who has looked at it before can no
 * longer delete it, and who looks later sees that it is not given up. @throws StatusError Conflict
 * when the VM has changed since it was read, or a revision has just been dropped
 */
export async function reuseNames(
  { client }: { readonly client: Pick<Client, 'patch'> },
  vm: VirtualMachine,
  names: Iterable<string>,
): Promise<VirtualMachine> {
  const given = [...new Set(names)].filter((name) => Object.hasOwn(replacedNames(vm), name))
  if (given.length === 0) return vm
  const { namespace = '', name: vmName = '', resourceVersion } = vm.metadata
  const status = { steadyvm: { replaced: Object.fromEntries(given.map((name) => [name, null])) } }
  const body = { metadata: { resourceVersion }, status }
  const now = await client.patch(virtualMachines, { namespace, name: vmName }, { type: 'merge', body }, { subresource: 'status' })
  for (const name of given) await touchRevision({ client }, { namespace, name }, now)
  return now
}

/**
 * Touches a revision for whoever is about to name it: who has looked at it before can no longer
 * drop it. @throws StatusError Conflict when it has just been deleted
 */
export async function touchRevision(
  { client }: { readonly client: Pick<Client, 'patch'> },
  key: ObjectKey & { readonly name: string },
  { metadata }: KubeObject,
): Promise<ControllerRevision> {
  const body = { metadata: { annotations: { [takenAgainAnnotation]: metadata?.resourceVersion ?? '' } } }
  const touched = await found(client.patch(controllerRevisions, key, { type: 'merge', body }))
  if (touched === undefined) throw conflict(controllerRevisions, key.name, 'it has just been deleted')
  return touched
}
