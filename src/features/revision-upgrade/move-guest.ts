import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import { dropRevision } from '#features/instancetype/index.ts'
import type { Observed } from './decide.ts'
import { moveStart } from './move.ts'
import type { Ports } from './ports.ts'
import { revisionsNamedIn } from './references.ts'
import { startRevisionName, startRevisionPrefixOf } from './start-revision-name.ts'

/** Lets the guest say that it was started from what replaced its revisions. It is not touched otherwise. */
export async function moveGuest(ports: Ports, { vmi, revisions }: Observed, vm: VirtualMachine): Promise<boolean> {
  const old = vmi?.status?.virtualMachineRevisionName ?? ''
  const start = revisions.get(old)
  if (vmi === undefined || start === undefined) return false
  const moved = moveStart(start, vm)
  if (moved === undefined) return dropFormerStarts(ports, { vm, vmi, start, revisions })
  await keep(ports, moved)
  await point(ports, vmi, moved.metadata.name ?? '')
  return true
}

async function point({ client }: Ports, { metadata, status }: VirtualMachineInstance, start: string): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  const path = '/status/virtualMachineRevisionName'
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: status?.virtualMachineRevisionName },
    { op: 'replace', path, value: start },
  ]
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, { type: 'json', operations })
  } catch (error) {
    // It is gone, or another one by now: that wakes us. What was stored for it goes with the next start.
    if (!isNotFound(error) && !isInvalid(error)) throw error
  }
}

/**
 * Drops what the guest was said to be started from before, and what somebody who died was about to let it say. The guest is asked for anew: nobody goes back
 * to a name that one of us has made of another, and nobody starts a guest while this one is there.
 */
async function dropFormerStarts(ports: Ports, { vm, vmi, start, revisions }: Started): Promise<boolean> {
  const former = [...revisions.values()].filter((revision) => revision !== start && isFormerStart(revision, start, vm))
  if (former.length === 0 || !(await stillSays(ports, vmi))) return false
  for (const revision of former) await dropRevision(ports.client, revision)
  return false
}

/** Of the guest's start or an earlier one, and either one of us has made it of another, or its names have been given up since. */
function isFormerStart(revision: ControllerRevision, start: ControllerRevision, vm: VirtualMachine): boolean {
  const { name = '' } = revision.metadata
  if (!name.startsWith(startRevisionPrefixOf(vm.metadata.uid ?? '')) || revision.revision > start.revision) return false
  const atStart = [undefined, revisionsNamedIn(revision)].map((names) => startRevisionName(vm.metadata.uid ?? '', revision.revision, names))
  return !atStart.includes(name) || moveStart(revision, vm) !== undefined
}

async function stillSays({ client }: Ports, { metadata, status }: VirtualMachineInstance): Promise<boolean> {
  const { name = '', namespace = '', uid } = metadata
  try {
    const now = await client.get(virtualMachineInstances, { namespace, name })
    const isSame = now.metadata.uid === uid && now.metadata.deletionTimestamp === undefined
    return isSame && now.status?.virtualMachineRevisionName === status?.virtualMachineRevisionName
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

interface Started {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance
  readonly start: ControllerRevision
  readonly revisions: Observed['revisions']
}

async function keep({ client }: Ports, revision: ControllerRevision): Promise<void> {
  try {
    await client.create(controllerRevisions, revision)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { name = '', namespace = '' } = revision.metadata
    const existing = await client.get(controllerRevisions, { namespace, name })
    if (!semanticEqual(existing.data, revision.data)) throw error
  }
}
