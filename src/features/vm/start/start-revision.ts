import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { alreadyExists, isAlreadyExists } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import {
  claimRevision,
  deleteRevision,
  isShared,
  ownerReferenceTo,
  revisionsByOwner,
  referencedRevisions,
  startRevisionName,
  startRevisionPrefixOf,
  withRevisionNames,
} from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'

/**
 * The VM's spec as it starts, with the revisions of its instance type and preference spelled out.
 */
function startRevisionOf(vm: VirtualMachine): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: startRevisionName(vm.metadata.uid ?? '', vm.metadata.generation ?? 0),
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      ownerReferences: [ownerReferenceTo(vm)],
    },
    data: { spec: pinnedSpec(vm) },
    revision: vm.metadata.generation ?? 0,
  }
}

/** The VM's spec with the revision names that its status knows. */
export function pinnedSpec({ spec, status }: VirtualMachine): VirtualMachineSpec {
  return withRevisionNames(spec, {
    instancetype: status?.instancetypeRef?.controllerRevisionRef?.name,
    preference: status?.preferenceRef?.controllerRevisionRef?.name,
  })
}

/**
 * Keeps what the VM starts from, and gives its name. Nothing is dropped before the guest is there:
 * it may be there already, and be started from something older. Can be repeated. The cache is not
 * asked for it: what it has may have been dropped with the guest before.
 */
export async function storeStartRevision(ports: Pick<Ports, 'client' | 'clock' | 'revisions'>, vm: VirtualMachine): Promise<string> {
  const revision = startRevisionOf(vm)
  const { name = '', namespace = '' } = revision.metadata
  // The VM may be switched away from a shared one at this moment, and nobody else name it.
  for (const named of referencedRevisions(revision, vm)) {
    const pinned = ports.revisions.get(namespace, named)
    if (pinned !== undefined && isShared(pinned)) await claimRevision(ports, pinned)
  }
  if (await isStored(ports.client, revision)) return name
  // A VM that was halted, got other revisions and is started at the same generation.
  const { uid = '', generation = 0 } = vm.metadata
  const other = { ...revision, metadata: { ...revision.metadata, name: startRevisionName(uid, generation, referencedRevisions(revision)) } }
  if (await isStored(ports.client, other)) return other.metadata.name
  throw alreadyExists(controllerRevisions, other.metadata.name)
}

/**
 * Drops what the VM was started from before. `former` was there before the guest that is there now:
 * what somebody makes of this one's start, or takes for it, is another revision than was seen then,
 * and stays.
 */
export async function deleteFormerStartRevisions(
  { client }: Pick<Ports, 'client'>,
  former: readonly ControllerRevision[],
  current: string,
): Promise<void> {
  for (const start of former) if (start.metadata.name !== current) await deleteRevision(client, start)
}

/**
 * Drops what the VM was started from when there is no guest any more: nobody asks for it, and what
 * it names would be kept in use, in whatever API version. The cache may not have seen a guest that
 * was just made.
 */
export async function deleteIdleStartRevisions(ports: Pick<Ports, 'client' | 'revisions'>, vm: VirtualMachine): Promise<void> {
  const { name = '', namespace = '' } = vm.metadata
  const starts = startRevisionsOf(ports, vm)
  if (starts.length === 0 || (await found(ports.client.get(virtualMachineInstances, { namespace, name }))) !== undefined) return
  for (const start of starts) await deleteIfThere(ports.client, start)
}

/** All that a VM was started from, as far as the cache knows. */
export function startRevisionsOf(
  { revisions }: Pick<Ports, 'revisions'>,
  { metadata: { uid = '' } }: VirtualMachine,
): readonly ControllerRevision[] {
  return revisions.byIndex(revisionsByOwner, uid).filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefixOf(uid)) === true)
}

/** Makes a revision; false when there is one of its name that holds something else. */
async function isStored(client: Ports['client'], revision: ControllerRevision): Promise<boolean> {
  try {
    await client.create(controllerRevisions, revision)
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const { name = '', namespace = '' } = revision.metadata
  const existing = await client.get(controllerRevisions, { namespace, name })
  return semanticEqual(existing.data, revision.data)
}

async function deleteIfThere(client: Ports['client'], { metadata }: ControllerRevision): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  await found(client.delete(controllerRevisions, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } }))
}
