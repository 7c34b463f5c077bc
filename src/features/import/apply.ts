import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { snapshotContentFor } from '#features/snapshot/index.ts'
import { importedKindOf } from './kinds.ts'
import { replacedSince, type ImportPlan } from './plan.ts'
import { importedFromAnnotation, type Export } from './read-export.ts'

/** Dependencies of {@link applyImport}. */
export interface ImportProgress {
  readonly client: Pick<Client, 'get' | 'create' | 'patch'>
  /** Called for each object that is created. */
  readonly created: (object: KubeObject) => void
}

/**
 * Creates the objects of an export. Each step can be interrupted and repeated: what is there is not
 * created again. Snapshots come before their VMs, so that the controller does not take them anew;
 * revisions come before the VMs that name them, and get their owners in the end.
 */
export async function applyImport(ports: ImportProgress, exported: Export, { steps }: ImportPlan): Promise<void> {
  const { hardware, snapshots, contents, vms } = exported
  const revisions = exported.revisions.filter((revision) => !steps.some(({ object, why }) => object === revision && why === replacedSince))
  const all: readonly KubeObject[] = [...hardware, ...revisions, ...snapshots, ...vms]
  for (const name of new Set(all.flatMap(({ metadata }) => metadata?.namespace ?? []))) await ensureNamespace(ports, name)
  for (const object of hardware) await ensure(ports, object)
  for (const revision of revisions) await ensure(ports, withoutOwners(revision))
  /** New UIDs by those of the export. */
  const uids = new Map<string, string>()
  const created = new Map<VirtualMachineSnapshot, VirtualMachineSnapshot>()
  for (const snapshot of snapshots) {
    const stored = await ensure(ports, snapshot)
    created.set(snapshot, stored)
    remember(uids, snapshot, stored)
  }
  const stored = new Map<VirtualMachineSnapshotContent, VirtualMachineSnapshotContent>()
  for (const content of contents) {
    const [, snapshot] = [...created].find(([one]) => isContentOf(content, one)) ?? []
    if (snapshot === undefined) continue
    const mine = await ensure(ports, snapshotContentFor(snapshot, content))
    stored.set(content, mine)
    remember(uids, content, mine)
  }
  for (const vm of vms) remember(uids, vm, await ensure(ports, vm))
  for (const content of stored.values()) await adoptSource(ports, content, uids)
  for (const revision of revisions) await adoptRevision(ports, revision, uids)
}

function isContentOf({ metadata, spec }: VirtualMachineSnapshotContent, snapshot: VirtualMachineSnapshot): boolean {
  return snapshot.metadata.name === spec.virtualMachineSnapshotName && snapshot.metadata.namespace === metadata.namespace
}

function remember(uids: Map<string, string>, exported: KubeObject, stored: KubeObject): void {
  const from = exported.metadata?.annotations?.[importedFromAnnotation] ?? ''
  if (from !== '') uids.set(from, stored.metadata?.uid ?? '')
}

function withoutOwners(revision: ControllerRevision): ControllerRevision {
  const { ownerReferences: _, ...metadata } = revision.metadata
  return { ...revision, metadata }
}

async function ensureNamespace({ client }: ImportProgress, name: string): Promise<void> {
  if ((await found(client.get(namespaces, { name }))) !== undefined) return
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

/** Creates an object unless there is one of its name, and returns it as stored. */
async function ensure<T extends KubeObject>({ client, created }: ImportProgress, object: T): Promise<T> {
  const resource = importedKindOf(object)?.resource as ResourceType<T> | undefined
  if (resource === undefined) throw new TypeError(`${object.kind} is not imported`)
  const { namespace, name = '' } = object.metadata ?? {}
  const present = await found(client.get(resource, { ...(namespace === undefined ? {} : { namespace }), name }))
  if (present !== undefined) return present
  const stored = await client.create(resource, object)
  created(object)
  return stored
}

/** Makes a restore accept the imported VM as the source of its snapshot. */
async function adoptSource(
  { client }: ImportProgress,
  content: VirtualMachineSnapshotContent,
  uids: ReadonlyMap<string, string>,
): Promise<void> {
  const uid = uids.get(content.spec.source.virtualMachine?.metadata?.uid ?? '')
  if (uid === undefined) return
  const { namespace = '', name = '' } = content.metadata
  const body = { spec: { source: { virtualMachine: { metadata: { uid } } } } }
  await client.patch(virtualMachineSnapshotContents, { namespace, name }, { type: 'merge', body })
  const key = { namespace, name: content.spec.virtualMachineSnapshotName ?? '' }
  await client.patch(
    virtualMachineSnapshots,
    key,
    { type: 'merge', body: { status: { sourceUID: uid } } },
    statusOf(virtualMachineSnapshots),
  )
}

/** Gives a revision the owners of the export, so that it is deleted with them. */
async function adoptRevision({ client }: ImportProgress, revision: ControllerRevision, uids: ReadonlyMap<string, string>): Promise<void> {
  const owners = (revision.metadata.ownerReferences ?? []).flatMap((owner) => {
    const uid = uids.get(owner.uid)
    return uid === undefined ? [] : [{ ...owner, uid }]
  })
  if (owners.length === 0) return
  const { namespace = '', name = '' } = revision.metadata
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body: { metadata: { ownerReferences: owners } } })
}

function statusOf({ hasStatusSubresource }: { readonly hasStatusSubresource?: boolean }): { readonly subresource?: 'status' } {
  return hasStatusSubresource === false ? {} : { subresource: 'status' }
}
