import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { claim, isShared, ownerReferenceTo } from '#features/instancetype/index.ts'
import { revisionsByOwner, revisionsNamedIn, startRevisionPrefix } from '#features/revision-upgrade/index.ts'
import type { Ports } from './ports.ts'

/** `revision-start-vm-<uid>-<generation>`. */
function startRevisionName(vm: VirtualMachine): string {
  return `${prefixOf(vm)}${vm.metadata.generation ?? 0}`
}

function prefixOf(vm: VirtualMachine): string {
  return `${startRevisionPrefix}${vm.metadata.uid ?? ''}-`
}

/** The VM's spec as it starts, with the revisions of its instance type and preference spelled out. */
function startRevisionOf(vm: VirtualMachine): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: startRevisionName(vm),
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      ownerReferences: [ownerReferenceTo(vm)],
    },
    data: { spec: pinnedSpec(vm) },
    revision: vm.metadata.generation ?? 0,
  }
}

/** The VM's spec with the revision names that its status knows. */
export function pinnedSpec(vm: VirtualMachine): VirtualMachineSpec {
  const { spec, status } = vm
  const instancetype = status?.instancetypeRef?.controllerRevisionRef?.name
  const preference = status?.preferenceRef?.controllerRevisionRef?.name
  return {
    ...spec,
    ...(spec.instancetype === undefined || instancetype === undefined
      ? {}
      : { instancetype: { ...spec.instancetype, revisionName: instancetype } }),
    ...(spec.preference === undefined || preference === undefined ? {} : { preference: { ...spec.preference, revisionName: preference } }),
  }
}

/** Keeps what the VM starts from, and drops what it started from before. Can be repeated. */
export async function storeStartRevision(ports: Pick<Ports, 'client' | 'clock' | 'revisions'>, vm: VirtualMachine): Promise<string> {
  const revision = startRevisionOf(vm)
  const { name = '', namespace = '' } = revision.metadata
  if (!isKept(ports.revisions.get(namespace, name), revision)) {
    // The VM may be switched away from a shared one at this moment, and nobody else name it.
    for (const named of revisionsNamedIn(revision, vm)) {
      const pinned = ports.revisions.get(namespace, named)
      if (pinned !== undefined && isShared(pinned)) await claim(ports, pinned)
    }
    await createOrReplace(ports.client, revision)
  }
  for (const older of ports.revisions.byIndex(revisionsByOwner, vm.metadata.uid ?? '')) {
    const olderName = older.metadata.name ?? ''
    if (olderName !== name && olderName.startsWith(prefixOf(vm))) await deleteIfThere(ports.client, older)
  }
  return name
}

async function createOrReplace(client: Ports['client'], revision: ControllerRevision): Promise<void> {
  try {
    await client.create(controllerRevisions, revision)
    return
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const { name = '', namespace = '' } = revision.metadata
  const existing = await client.get(controllerRevisions, { namespace, name })
  if (isKept(existing, revision)) return
  // The data of a revision never changes: a VM that was halted, switched to another instance type and started at one generation gets a new one.
  await deleteIfThere(client, existing)
  await client.create(controllerRevisions, revision)
}

function isKept(existing: ControllerRevision | undefined, wanted: ControllerRevision): boolean {
  return existing !== undefined && semanticEqual(existing.data, wanted.data)
}

async function deleteIfThere(client: Ports['client'], { metadata }: ControllerRevision): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  try {
    await client.delete(controllerRevisions, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
