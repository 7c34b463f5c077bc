import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Instancetype, Preference } from '../types.ts'
import { changesBetween } from './changes.ts'
import { decodeRevision } from './codec.ts'
import { ownerReferenceTo, revisionOf } from './controller-revision.ts'

/** The revision's name is taken by something else. */
class UnexpectedRevision extends Error {
  override readonly name = 'UnexpectedRevision'
}

/** What storing needs of a client. */
export type StoreClient = Pick<Client, 'create' | 'get' | 'patch'>

/**
 * Pins an object for a VM, and gives the revision's name. A revision that is there already and holds the same spec is used, so that the step
 * can be repeated after a crash. @throws UnexpectedRevision, StatusError
 */
export async function storeRevision(client: StoreClient, vm: VirtualMachine, object: Instancetype | Preference): Promise<string> {
  const revision = revisionOf(vm, object)
  const { name = '', namespace = '' } = revision.metadata
  try {
    await client.create(controllerRevisions, revision)
    return name
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const existing = await client.get(controllerRevisions, { namespace, name })
  const owner = ownerOf(existing)
  const isOurs = owner === undefined || owner === vm.metadata.uid
  if (!isOurs || changesBetween(specIn(existing, object), object.spec).length > 0) {
    throw new UnexpectedRevision(`found existing ControllerRevision with unexpected data: ${name}`)
  }
  if (owner === undefined) await adopt(client, vm, existing)
  return name
}

function specIn(revision: ControllerRevision, object: Instancetype | Preference): unknown {
  const isInstancetype = object.kind === 'VirtualMachineInstancetype' || object.kind === 'VirtualMachineClusterInstancetype'
  return decodeRevision(revision, isInstancetype ? 'instancetype' : 'preference').object.spec
}

/** A revision of another VM (an earlier one of the same name) is about to vanish with it. */
function ownerOf({ metadata }: ControllerRevision): string | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
}

/** One without owner comes from a backup: without an owner it would outlive the VM. */
async function adopt(client: StoreClient, vm: VirtualMachine, { metadata }: ControllerRevision): Promise<void> {
  const { name = '', namespace = '', resourceVersion, ownerReferences = [] } = metadata
  const body = { metadata: { resourceVersion, ownerReferences: [...ownerReferences, ownerReferenceTo(vm)] } }
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body })
}
