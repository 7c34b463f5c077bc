import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isForbidden, isInvalid } from '#apimachinery/errors.ts'
import { deleteRevision, holderOf, ownerReferenceTo, replacedNames, storeRevision, reuseNames } from '#features/instancetype/index.ts'
import type { Decision, Observed, Replacement } from './decide.ts'
import { replaceStartRevision } from './replace-start-revision.ts'
import { renameInSpec, renameInStatus, type Renames } from './rename-references.ts'
import type { Ports } from './ports.ts'

/** What was done for a VM. */
export interface ActResult {
  readonly renames: Renames
}

/**
 * Takes the next steps for a VM: stores what is to be replaced, moves all that names it, and drops
 * what was replaced before. Dropping waits for a later look, by when the cache has seen the move,
 * and with it whatever others wrote before. Every step can be repeated and cut anywhere.
 */
export async function act(ports: Ports, observed: Observed, decision: Decision): Promise<ActResult> {
  for (const orphan of decision.orphans) await adopt(ports, observed.vm, orphan)
  const renames = new Map<string, string>()
  for (const replacement of decision.replacements) renames.set(replacement.old, await replace(ports, observed.vm, replacement))
  const taken = await reuseNames(ports, observed.vm, renames.values())
  const vm = await renameReferences(ports, taken, renames)
  const started = await replaceStartRevision(ports, observed, vm)
  if (vm === observed.vm && !started && decision.obsolete.length > 0) await deleteObsolete(ports, vm, decision.obsolete)
  return { renames: new Map([...renames].filter(([old, now]) => old !== now)) }
}

/**
 * The cache may be behind the VM, which may have taken a name again: it is asked anew, after the
 * revisions were seen.
 */
async function deleteObsolete(ports: Ports, { metadata }: VirtualMachine, superfluous: readonly ControllerRevision[]): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  const now = await ports.client.get(virtualMachines, { namespace, name })
  const given = replacedNames(now)
  if (now.metadata.uid !== uid) return
  for (const revision of superfluous) if (Object.hasOwn(given, revision.metadata.name ?? '')) await deleteRevision(ports.client, revision)
}

/**
 * Stores what a revision holds in the format that is wanted. The VM's own controller prunes
 * meanwhile, and does not know what this is for.
 */
function replace(ports: Ports, vm: VirtualMachine, { object, format }: Replacement): Promise<string> {
  return storeRevision(ports, holderOf(vm), object, format, { isClaimed: true, allowAlternativeName: true })
}

/**
 * Lets a VM name the new revisions, in its spec before its status: the status remembers that this
 * was done. Who does not let us write a spec does not have to: the name goes on meaning what it
 * meant.
 */
async function renameReferences({ client }: Ports, seen: VirtualMachine, renames: Renames): Promise<VirtualMachine> {
  const { name = '', namespace = '' } = seen.metadata
  const key = { namespace, name }
  const operations = renameInSpec(seen, renames)
  // Makes a lost race a conflict. It is also what makes dropping safe: nobody names what has been
  // given up without knowing it.
  const asSeen = { op: 'replace', path: '/metadata/resourceVersion', value: seen.metadata.resourceVersion } as const
  let vm = seen
  if (operations.length > 0) {
    try {
      vm = await client.patch(virtualMachines, key, { type: 'json', operations: [asSeen, ...operations] })
    } catch (error) {
      if (!isInvalid(error) && !isForbidden(error)) throw error
    }
  }
  const status = renameInStatus(vm, renames)
  if (status === undefined) return vm
  const body = { metadata: { resourceVersion: vm.metadata.resourceVersion }, status }
  return client.patch(virtualMachines, key, { type: 'merge', body }, { subresource: 'status' })
}

/**
 * What is in the right format and nobody's, or somebody's else, would go when that somebody goes, and
 * the VM would lose its hardware.
 */
async function adopt({ client }: Ports, vm: VirtualMachine, { metadata }: ControllerRevision): Promise<void> {
  const { name = '', namespace = '', resourceVersion, ownerReferences = [] } = metadata
  const mine = ownerReferenceTo(vm)
  // An earlier VM of the same name is gone, and what belonged to it is about to go, too.
  const others = ownerReferences.filter(({ kind, name: owner }) => kind !== mine.kind || owner !== mine.name)
  const isManaged = others.some(({ controller }) => controller === true)
  const body = { metadata: { resourceVersion, ownerReferences: [...others, isManaged ? { ...mine, controller: false } : mine] } }
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body })
}
