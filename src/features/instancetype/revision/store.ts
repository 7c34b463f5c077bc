import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Instancetype, Preference } from '../types.ts'
import { decodeInstancetype, decodePreference } from './codec.ts'
import { revisionOf } from './controller-revision.ts'

/** The revision's name is taken by something else. */
class UnexpectedRevision extends Error {
  override readonly name = 'UnexpectedRevision'
}

/**
 * Pins an object for a VM, and gives the revision's name. A revision that is there already and holds the same spec is used, so that the step
 * can be repeated after a crash. @throws UnexpectedRevision, StatusError
 */
export async function storeRevision(
  client: Pick<Client, 'create' | 'get'>,
  vm: VirtualMachine,
  object: Instancetype | Preference,
): Promise<string> {
  const revision = revisionOf(vm, object)
  const { name = '', namespace = '' } = revision.metadata
  try {
    await client.create(controllerRevisions, revision)
    return name
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const existing = await client.get(controllerRevisions, { namespace, name })
  if (!isOwnedBy(existing, vm) || !semanticEqual(specIn(existing, object), object.spec)) {
    throw new UnexpectedRevision(`found existing ControllerRevision with unexpected data: ${name}`)
  }
  return name
}

function specIn(revision: ControllerRevision, object: Instancetype | Preference): unknown {
  const isInstancetype = object.kind === 'VirtualMachineInstancetype' || object.kind === 'VirtualMachineClusterInstancetype'
  return (isInstancetype ? decodeInstancetype(revision) : decodePreference(revision)).spec
}

/** A revision without any owner may come from a backup; one of another VM (an earlier one of the same name) is about to vanish with it. */
function isOwnedBy(revision: ControllerRevision, vm: VirtualMachine): boolean {
  const owner = revision.metadata.ownerReferences?.find((reference) => reference.controller === true)
  return owner === undefined || owner.uid === vm.metadata.uid
}
