import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import {
  claimedAt,
  claimGraceMs,
  deleteRevision,
  isRevisionOf,
  revisionHistory,
  revisionsByOwner,
  referencedRevisions,
} from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'

/**
 * On a VM: number of unreferenced revisions to keep of its instance types, and of its preferences.
 */
export const historyLimitAnnotation = 'steadyvm.io/revision-history-limit'
const defaultHistoryLimit = 10

/** Dependencies of pruning. */
export type PrunePorts = Pick<Ports, 'client' | 'revisions' | 'vms' | 'clock' | 'config'>

/**
 * Deletes the VM's oldest unreferenced revisions beyond its history limit. Idempotent; safe to
 * interrupt at any point.
 */
export async function prune(ports: PrunePorts, vm: VirtualMachine): Promise<void> {
  const namespace = vm.metadata.namespace ?? ''
  const own = ports.revisions.byIndex(revisionsByOwner, vm.metadata.uid ?? '')
  // The common case: two revisions, within the limit.
  if (own.length <= historyLimitOf(vm, ports)) return
  // Start revisions reference captured revisions, which are needed to classify changes of the spec.
  const inUse = new Set([
    ...referencedRevisions(vm),
    ...ports.revisions.list(namespace).flatMap((revision) => referencedRevisions(revision, vm)),
    ...ports.vms.list(namespace).flatMap((other) => (other.metadata.uid === vm.metadata.uid ? [] : referencedRevisions(other))),
  ])
  // The revision upgrader creates a revision before it references it.
  const known = own.filter(
    (revision) => isRevisionOf(revision, vm.metadata.uid) && ports.clock.now() - (claimedAt(revision) ?? 0) > claimGraceMs,
  )
  const idle = excessRevisions(vm, known, inUse, historyLimitOf(vm, ports))
  if (idle.length === 0) return
  // Read from the API, not the cache: the VM may be rolled back to one of them at this moment, or a
  // start revision that the cache lacks may reference one.
  const fresh = await ports.client.get(virtualMachines, { namespace, name: vm.metadata.name ?? '' })
  if (await isStartUnseen(ports, vm, own)) return
  const named = new Set([fresh, ...own].flatMap((object) => referencedRevisions(object, fresh)))
  for (const revision of idle) if (!named.has(revision.metadata.name ?? '')) await deleteRevision(ports.client, revision)
}

/**
 * Reports whether the guest was started so recently that its start revision is not in the cache.
 * Its watch event requeues the VM.
 */
async function isStartUnseen({ client }: PrunePorts, vm: VirtualMachine, own: readonly ControllerRevision[]): Promise<boolean> {
  const vmi = await found(client.get(virtualMachineInstances, keyOf(vm)))
  const start = vmi?.status?.virtualMachineRevisionName ?? ''
  return vmi !== undefined && isControlledBy(vmi, vm) && start !== '' && !own.some((one) => one.metadata.name === start)
}

/**
 * Returns, for instance types and preferences each, the unreferenced revisions beyond the newest
 * `limit`.
 */
export function excessRevisions(
  vm: VirtualMachine,
  own: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const idle = revisionHistory(vm, own).filter(({ revision }) => !inUse.has(revision))
  const names = (['instancetype', 'preference'] as const).flatMap((family) =>
    idle
      .filter((entry) => entry.family === family)
      .slice(limit)
      .map(({ revision }) => revision),
  )
  return own.filter(({ metadata }) => names.includes(metadata.name ?? ''))
}

/** Returns how many unreferenced revisions the VM keeps, of instance types and preferences each. */
export function historyLimitOf({ metadata, spec }: VirtualMachine, { config }: Pick<Ports, 'config'>): number {
  // With an expanded spec there is nothing to roll back to.
  const isWrittenOut = spec.instancetype === undefined && spec.preference === undefined
  if (isWrittenOut && config().referencePolicy !== 'reference') return 0
  const limit = metadata.annotations?.[historyLimitAnnotation] ?? ''
  return /^\d{1,6}$/.test(limit) ? Number(limit) : defaultHistoryLimit
}
