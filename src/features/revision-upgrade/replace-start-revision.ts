import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import {
  deleteRevision,
  isOwnedOnlyBy,
  referencedRevisions,
  startRevisionName,
  startRevisionPrefixOf,
  touchRevision,
} from '#features/instancetype/index.ts'
import type { Observed } from './decide.ts'
import { renamedStartRevision } from './rename-references.ts'
import type { Ports } from './ports.ts'

/**
 * On a VMI: the resourceVersion of what nobody may let it say any more, since it is about to be
 * dropped.
 */
const droppedStartAnnotation = 'steadyvm.io/dropped-start'

/**
 * Lets the guest say that it was started from what replaced its revisions. It is not touched
 * otherwise.
 */
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
 * Whoever drops what this lets the guest say has touched the VMI before, and makes it a conflict.
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
    // It is gone, or another one by now: that wakes us. What was stored for it goes with the next
    // start.
    if (!isNotFound(error) && !isInvalid(error)) throw error
  }
}

/**
 * Drops what the guest was said to be started from before, and what somebody who died was about to
 * let it say. The guest is asked for anew: nobody goes back to a name that one of us has made of
 * another, and nobody starts a guest while this one is there. What was made of what the guest says
 * now may be about to be written there by somebody who sees another VM than we do: the VMI is
 * touched first, so that he cannot, and will touch what he takes before he tries again.
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

/** Whether a revision is what {@link renamedStartRevision} could make of the guest's start. */
function isDerivedFrom(revision: ControllerRevision, start: ControllerRevision, { metadata }: VirtualMachine): boolean {
  const difference = [start.metadata.name ?? '', ...referencedRevisions(revision)]
  return revision.metadata.name === startRevisionName(metadata.uid ?? '', revision.revision, difference)
}

/** Makes it a conflict for all who have seen the VMI as it is to let it say something else. */
async function touchVmi({ client }: Ports, { metadata }: VirtualMachineInstance, next: readonly ControllerRevision[]): Promise<boolean> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const dropped = next.map((revision) => revision.metadata.resourceVersion ?? '').join()
  const body = { metadata: { resourceVersion, annotations: { [droppedStartAnnotation]: dropped } } }
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, { type: 'merge', body })
    return true
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
    return false
  }
}

/**
 * Of the guest's start or an earlier one, and either one of us has made it of another, or its names
 * have been given up since.
 */
function isFormerStart(revision: ControllerRevision, start: ControllerRevision, vm: VirtualMachine): boolean {
  const { name = '' } = revision.metadata
  if (!isOwnedOnlyBy(revision, vm.metadata.uid)) return false
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
  const isSame = now?.metadata.uid === uid && now?.metadata.deletionTimestamp === undefined
  return isSame && now?.status?.virtualMachineRevisionName === status?.virtualMachineRevisionName ? now : undefined
}

interface Started {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance
  readonly start: ControllerRevision
  readonly revisions: Observed['revisions']
}

/**
 * Makes what the guest will say, or takes what is there, so that nobody drops it who has seen it
 * before.
 */
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
