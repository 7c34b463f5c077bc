import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { found } from '#client/found.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import {
  deleteRevision,
  isRevisionOf,
  referencedRevisions,
  startRevisionName,
  startRevisionPrefixOf,
  touchRevision,
} from '#features/instancetype/index.ts'
import type { Observed } from './decide.ts'
import { renamedStartRevision } from './rename-references.ts'
import type { Ports } from './ports.ts'

/**
 * On a VMI: resourceVersion of a start revision that is about to be deleted. Changes the VMI, so
 * that writers which have seen it before fail with a conflict.
 */
const droppedStartAnnotation = 'steadyvm.io/dropped-start'

/** Points a VMI to a start revision with the new names. The guest itself is not touched. */
export async function replaceStartRevision(ports: Ports, { vmi, revisions }: Observed, vm: VirtualMachine): Promise<boolean> {
  const old = vmi?.status?.virtualMachineRevisionName ?? ''
  const start = revisions.get(old)
  if (vmi === undefined || start === undefined) return false
  const moved = renamedStartRevision(start, vm)
  if (moved === undefined) return deleteFormerStarts(ports, { vm, vmi, start, revisions })
  await createOrTouch(ports, moved, vmi)
  await patchStartRevisionName(ports, vmi, moved.metadata.name ?? '')
  return true
}

/**
 * Patches the VMI. A conflict if the new start revision is about to be deleted: the deleter touches
 * the VMI first.
 */
async function patchStartRevisionName({ client }: Ports, { metadata, status }: VirtualMachineInstance, start: string): Promise<void> {
  const { name = '', namespace = '', uid, resourceVersion } = metadata
  const path = '/status/virtualMachineRevisionName'
  const operations: JsonPatchOperation[] = [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: status?.virtualMachineRevisionName },
    { op: 'replace', path, value: start },
  ]
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, { type: 'json', operations })
  } catch (error) {
    // The VMI is gone or was replaced, which triggers a new pass. The next start deletes what was
    // stored.
    if (!isNotFound(error) && !isInvalid(error)) throw error
  }
}

/**
 * Deletes former start revisions, and those that an interrupted pass has prepared. The VMI is read
 * again: a derived name is never used again, and no other guest starts while this one exists. A
 * revision derived from the current one may be about to be used by a writer with another view of
 * the VM: touching the VMI first makes that a conflict, and its retry touches the revision.
 */
async function deleteFormerStarts(ports: Ports, { vm, vmi, start, revisions }: Started): Promise<boolean> {
  const former = [...revisions.values()].filter((revision) => revision !== start && isFormerStart(revision, start, vm))
  if (former.length === 0) return false
  const now = await getUnchangedVmi(ports, vmi)
  if (now === undefined) return false
  const next = former.filter((revision) => isDerivedFrom(revision, start, vm))
  const isShut = next.length === 0 || (await touchVmi(ports, now, next))
  for (const revision of former) if (isShut || !next.includes(revision)) await deleteRevision(ports.client, revision)
  return false
}

/** Reports whether a revision is what {@link renamedStartRevision} returns for the current one. */
function isDerivedFrom(revision: ControllerRevision, start: ControllerRevision, { metadata }: VirtualMachine): boolean {
  const difference = [start.metadata.name ?? '', ...referencedRevisions(revision)]
  return revision.metadata.name === startRevisionName(metadata.uid ?? '', revision.revision, difference)
}

/** Changes the VMI, so that concurrent patches of its start revision fail with a conflict. */
async function touchVmi({ client }: Ports, vmi: VirtualMachineInstance, next: readonly ControllerRevision[]): Promise<boolean> {
  const dropped = next.map((revision) => revision.metadata.resourceVersion ?? '').join()
  try {
    await patchIfUnchanged(client, virtualMachineInstances, vmi, { metadata: { annotations: { [droppedStartAnnotation]: dropped } } })
    return true
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
    return false
  }
}

/**
 * Reports whether a revision is a former start revision: not newer than the current one, and either
 * derived or with replaced names.
 */
function isFormerStart(revision: ControllerRevision, start: ControllerRevision, vm: VirtualMachine): boolean {
  const { name = '' } = revision.metadata
  if (!isRevisionOf(revision, vm.metadata.uid)) return false
  if (!name.startsWith(startRevisionPrefixOf(vm.metadata.uid ?? '')) || revision.revision > start.revision) return false
  const atStart = [undefined, referencedRevisions(revision)].map((names) =>
    startRevisionName(vm.metadata.uid ?? '', revision.revision, names),
  )
  return !atStart.includes(name) || renamedStartRevision(revision, vm) !== undefined
}

async function getUnchangedVmi(
  { client }: Ports,
  { metadata, status }: VirtualMachineInstance,
): Promise<VirtualMachineInstance | undefined> {
  const { name = '', namespace = '', uid } = metadata
  const now = await found(client.get(virtualMachineInstances, { namespace, name }))
  const isSame = now !== undefined && now.metadata.uid === uid && !isBeingDeleted(now)
  return isSame && now.status?.virtualMachineRevisionName === status?.virtualMachineRevisionName ? now : undefined
}

interface Started {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance
  readonly start: ControllerRevision
  readonly revisions: Observed['revisions']
}

/** Creates the start revision, or touches the existing one so that a concurrent delete fails. */
async function createOrTouch(ports: Ports, revision: ControllerRevision, vmi: VirtualMachineInstance): Promise<void> {
  try {
    await ports.client.create(controllerRevisions, revision)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { name = '', namespace = '' } = revision.metadata
    const existing = await touchRevision(ports, { namespace, name }, vmi)
    if (!semanticEqual(existing.data, revision.data)) throw error
  }
}
