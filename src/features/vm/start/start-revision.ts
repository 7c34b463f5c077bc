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
 * Builds the revision with the VM's spec at start, in which matchers name their captured revisions.
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

/** Returns the VM's spec with the revision names from its status. */
export function pinnedSpec({ spec, status }: VirtualMachine): VirtualMachineSpec {
  return withRevisionNames(spec, {
    instancetype: status?.instancetypeRef?.controllerRevisionRef?.name,
    preference: status?.preferenceRef?.controllerRevisionRef?.name,
  })
}

/**
 * Stores the start revision and returns its name. Idempotent. Deletes nothing: a guest may run
 * already, started from an older revision. Reads the API, because the cache may still show a
 * revision that was deleted with the previous guest.
 */
export async function storeStartRevision(ports: Pick<Ports, 'client' | 'clock' | 'revisions'>, vm: VirtualMachine): Promise<string> {
  const revision = startRevisionOf(vm)
  const { name = '', namespace = '' } = revision.metadata
  // The VM may be switched away from a shared revision at this moment, which is then unreferenced.
  for (const named of referencedRevisions(revision, vm)) {
    const pinned = ports.revisions.get(namespace, named)
    if (pinned !== undefined && isShared(pinned)) await claimRevision(ports, pinned)
  }
  if (await isStored(ports.client, revision)) return name
  // The VM was halted, got other revisions, and starts at the same generation.
  const { uid = '', generation = 0 } = vm.metadata
  const other = { ...revision, metadata: { ...revision.metadata, name: startRevisionName(uid, generation, referencedRevisions(revision)) } }
  if (await isStored(ports.client, other)) return other.metadata.name
  throw alreadyExists(controllerRevisions, other.metadata.name)
}

/**
 * Deletes the start revisions of earlier guests. `former` was listed before the current guest was
 * created, and deletion is conditional on the listed version: a revision that another component
 * rewrites or takes over for the current guest is kept.
 */
export async function deleteFormerStartRevisions(
  { client }: Pick<Ports, 'client'>,
  former: readonly ControllerRevision[],
  current: string,
): Promise<void> {
  for (const start of former) if (start.metadata.name !== current) await deleteRevision(client, start)
}

/**
 * Deletes start revisions when there is no guest: unused, they would keep captured revisions in
 * use, in old API versions too. Asks the API, because the cache may lack a guest that was just
 * created.
 */
export async function deleteIdleStartRevisions(ports: Pick<Ports, 'client' | 'revisions'>, vm: VirtualMachine): Promise<void> {
  const { name = '', namespace = '' } = vm.metadata
  const starts = startRevisionsOf(ports, vm)
  if (starts.length === 0 || (await found(ports.client.get(virtualMachineInstances, { namespace, name }))) !== undefined) return
  for (const start of starts) await deleteIfThere(ports.client, start)
}

/** Returns the cached start revisions of a VM. */
export function startRevisionsOf(
  { revisions }: Pick<Ports, 'revisions'>,
  { metadata: { uid = '' } }: VirtualMachine,
): readonly ControllerRevision[] {
  return revisions.byIndex(revisionsByOwner, uid).filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefixOf(uid)) === true)
}

/** Creates a revision; false when its name is taken by other content. */
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
