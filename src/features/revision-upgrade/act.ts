import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isForbidden, isInvalid } from '#apimachinery/errors.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { deleteRevision, holderOf, ownerReferenceTo, replacedNames, storeRevision, reuseNames } from '#features/instancetype/index.ts'
import type { Decision, Observed, Replacement } from './decide.ts'
import { replaceStartRevision } from './replace-start-revision.ts'
import { renameInSpec, renameInStatus, type Renames } from './rename-references.ts'
import type { Ports } from './ports.ts'

/** Changes of a pass. */
export interface ActResult {
  readonly renames: Renames
}

/**
 * Stores replacements, renames the references to them, and deletes what earlier passes replaced.
 * Deletion waits for a later pass, when the cache has seen the rename and all writes before it.
 * Every step is idempotent, and the process may be killed between any two.
 */
export async function act(ports: Ports, observed: Observed, decision: Decision): Promise<ActResult> {
  for (const orphan of decision.orphans) await adopt(ports, observed.vm, orphan)
  const renames = new Map<string, string>()
  for (const replacement of decision.replacements)
    renames.set(replacement.old, replacement.by ?? (await replace(ports, observed.vm, replacement)))
  const taken = await reuseNames(ports, observed.vm, renames.values())
  const vm = await renameReferences(ports, taken, renames)
  const started = await replaceStartRevision(ports, observed, vm)
  if (vm === observed.vm && !started && decision.obsolete.length > 0) await deleteObsolete(ports, vm, decision.obsolete)
  return { renames: new Map([...renames].filter(([old, now]) => old !== now)) }
}

/**
 * Deletes replaced revisions. The cached VM may be stale and have taken a name back into use, so it
 * is read again after the revisions.
 */
async function deleteObsolete(ports: Ports, { metadata }: VirtualMachine, superfluous: readonly ControllerRevision[]): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  const now = await ports.client.get(virtualMachines, { namespace, name })
  const given = replacedNames(now)
  if (now.metadata.uid !== uid) return
  for (const revision of superfluous) if (Object.hasOwn(given, revision.metadata.name ?? '')) await deleteRevision(ports.client, revision)
}

/**
 * Stores the content of a revision in the wanted format. Claimed, since the VM controller may prune
 * at the same time.
 */
function replace(ports: Ports, vm: VirtualMachine, { object, format }: Replacement): Promise<string> {
  return storeRevision(ports, holderOf(vm), object, format, { isClaimed: true, allowAlternativeName: true })
}

/**
 * Renames references in the VM's spec, then in its status, which records the rename. Where the spec
 * may not be written, the recorded rename resolves the old name.
 */
async function renameReferences({ client }: Ports, observed: VirtualMachine, renames: Renames): Promise<VirtualMachine> {
  const { name = '', namespace = '' } = observed.metadata
  const key = { namespace, name }
  const operations = renameInSpec(observed, renames)
  // Makes a concurrent write a conflict, and deletion safe: no writer references a name without
  // having seen that it was replaced.
  const ifUnchanged = { op: 'replace', path: '/metadata/resourceVersion', value: observed.metadata.resourceVersion } as const
  let vm = observed
  if (operations.length > 0) {
    try {
      vm = await client.patch(virtualMachines, key, { type: 'json', operations: [ifUnchanged, ...operations] })
    } catch (error) {
      if (!isInvalid(error) && !isForbidden(error)) throw error
    }
  }
  return patchStatus(client, virtualMachines, vm, renameInStatus(vm, renames))
}

/**
 * Adds the VM as owner; otherwise garbage collection of the previous owner would delete a revision
 * that the VM still uses.
 */
async function adopt({ client }: Ports, vm: VirtualMachine, orphan: ControllerRevision): Promise<void> {
  const { ownerReferences = [] } = orphan.metadata
  const mine = ownerReferenceTo(vm)
  // Drop owners that are deleted VMs of the same name: they would take the revision along.
  const others = ownerReferences.filter(({ kind, name: owner }) => kind !== mine.kind || owner !== mine.name)
  const isManaged = others.some(({ controller }) => controller === true)
  const metadata = { ownerReferences: [...others, isManaged ? { ...mine, controller: false } : mine] }
  await patchIfUnchanged(client, controllerRevisions, orphan, { metadata })
}
