import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { referencedRevisions } from '#features/instancetype/index.ts'

/** Page size of lists: a namespace may hold thousands of VMs, and latency is irrelevant here. */
const pageSize = 500

/**
 * Returns the names of those `suspects` that an object in the namespace references, asking the API
 * and not a cache. The cheapest resources are listed first, and the rest is skipped when all
 * suspects are found.
 */
export async function findReferenced(
  client: Pick<Client, 'list'>,
  namespace: string,
  suspects: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  const note = (object: KubeObject, vm: KubeObject = object): void => {
    // A name may have been replaced: its successor counts.
    for (const name of referencedRevisions(object, vm)) named.add(name)
  }
  const isSettled = (): boolean => suspects.every((name) => named.has(name))
  const pages = <T extends KubeObject>(resource: ResourceType<T>): AsyncIterable<T> => each(client, resource, namespace, signal)
  for await (const content of pages(virtualMachineSnapshotContents)) note(content)
  if (isSettled()) return named
  const vms = new Map<string, KubeObject>()
  for await (const vm of pages<VirtualMachine>(virtualMachines)) {
    note(vm)
    // Most VMs have no replaced names, and need not be kept for their start revisions.
    if (vm.status?.steadyvm?.replaced !== undefined) vms.set(vm.metadata.uid ?? '', vm)
  }
  if (isSettled()) return named
  for await (const revision of pages<ControllerRevision>(controllerRevisions)) {
    const owner = revision.metadata.ownerReferences?.find(({ uid }) => vms.has(uid))
    note(revision, owner === undefined ? revision : vms.get(owner.uid))
  }
  return named
}

async function* each<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: ResourceType<T>,
  namespace: string,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let next: string | undefined
  do {
    const options = { namespace, limit: pageSize, signal, ...(next === undefined ? {} : { continue: next }) }
    const page = await client.list(resource, options).catch((error: unknown) => {
      // A cluster without snapshots has none that name anything.
      if (isNotFound(error) && resource.kind === virtualMachineSnapshotContents.kind) return undefined
      throw error
    })
    // Objects in a list have no kind.
    for (const item of page?.items ?? []) yield { ...item, kind: resource.kind }
    next = page?.metadata?.continue
  } while (next !== undefined && next !== '')
}
