import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { replacedNames } from '../find/replaced-names.ts'

/**
 * On a revision: resourceVersion of the object that last took it into use. It differs each time, so
 * that the patch changes the revision.
 */
const takenAgainAnnotation = 'steadyvm.io/taken-again-by'

/**
 * Takes stored names back into use before a VM references them, and returns the VM as stored. Such
 * a name may be listed as replaced, and its revision be deleted by a pass that has read this list.
 * First the name is removed from the list, then the revision is touched: a pass that has read the
 * revision before fails with a conflict, and a later one no longer finds the name in the list.
 * @throws StatusError Conflict when the VM has changed since it was read or a revision was just
 * deleted
 */
export async function reuseNames(
  { client }: { readonly client: Pick<Client, 'patch'> },
  vm: VirtualMachine,
  names: Iterable<string>,
): Promise<VirtualMachine> {
  const given = [...new Set(names)].filter((name) => Object.hasOwn(replacedNames(vm), name))
  if (given.length === 0) return vm
  const { namespace = '' } = vm.metadata
  const replaced = Object.fromEntries(given.map((name) => [name, null]))
  const now = await patchStatus(client, virtualMachines, vm, { steadyvm: { replaced } })
  for (const name of given) await touchRevision({ client }, { namespace, name }, now)
  return now
}

/**
 * Touches a revision that is about to be referenced, so that a delete decided before fails with a
 * conflict. @throws StatusError Conflict when it was just deleted
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
