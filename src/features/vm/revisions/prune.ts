import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import {
  claimedAt,
  claimGraceMs,
  deleteRevision,
  revisionHistory,
  revisionsByOwner,
  referencedRevisions,
} from '#features/instancetype/index.ts'
import type { Ports } from '../ports.ts'

/**
 * On a VM: how many revisions that nothing refers to are kept of its instance types, and as many of
 * its preferences.
 */
export const historyLimitAnnotation = 'steadyvm.io/revision-history-limit'
const defaultHistoryLimit = 10

/** What pruning needs. */
export type PrunePorts = Pick<Ports, 'client' | 'revisions' | 'vms' | 'clock' | 'config'>

/**
 * Drops the oldest of the VM's revisions that nobody can need any more. Can be repeated, and cut
 * anywhere.
 */
export async function prune(ports: PrunePorts, vm: VirtualMachine): Promise<void> {
  const namespace = vm.metadata.namespace ?? ''
  const own = ports.revisions.byIndex(revisionsByOwner, vm.metadata.uid ?? '')
  // Most VMs have two revisions, and nobody has to be asked who refers to them.
  if (own.length <= historyLimitOf(vm, ports)) return
  // What a guest was started from names revisions, too: they are needed to tell whether it must be
  // started again.
  const inUse = new Set([
    ...referencedRevisions(vm),
    ...ports.revisions.list(namespace).flatMap((revision) => referencedRevisions(revision, vm)),
    ...ports.vms.list(namespace).flatMap((other) => (other.metadata.uid === vm.metadata.uid ? [] : referencedRevisions(other))),
  ])
  // What is about to be named was made by who brings revisions to another form.
  const known = own.filter((revision) => ports.clock.now() - (claimedAt(revision) ?? 0) > claimGraceMs)
  const idle = excessRevisions(vm, known, inUse, historyLimitOf(vm, ports))
  if (idle.length === 0) return
  // Its owner may be going back to one of them at this moment, or what its guest was started from
  // may stand for one, which the cache has not seen.
  const fresh = await ports.client.get(virtualMachines, { namespace, name: vm.metadata.name ?? '' })
  if (await isStartUnseen(ports, vm, own)) return
  const named = new Set([fresh, ...own].flatMap((object) => referencedRevisions(object, fresh)))
  for (const revision of idle) if (!named.has(revision.metadata.name ?? '')) await deleteRevision(ports.client, revision)
}

/**
 * Whether the guest was started just now, so that the cache does not know yet what from. When it
 * does, that wakes the VM.
 */
async function isStartUnseen({ client }: PrunePorts, vm: VirtualMachine, own: readonly ControllerRevision[]): Promise<boolean> {
  const { metadata } = vm
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  const vmi = await found(client.get(virtualMachineInstances, key))
  const start = vmi?.status?.virtualMachineRevisionName ?? ''
  return vmi !== undefined && isControlledBy(vmi, vm) && start !== '' && !own.some((one) => one.metadata.name === start)
}

/** The revisions to drop: of each family, those that nothing refers to beyond the newest few. */
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

/** How many revisions that nothing refers to a VM keeps, of each family. */
export function historyLimitOf({ metadata, spec }: VirtualMachine, { config }: Pick<Ports, 'config'>): number {
  // Where VMs are written out there is nothing to go back to.
  const isWrittenOut = spec.instancetype === undefined && spec.preference === undefined
  if (isWrittenOut && config().referencePolicy !== 'reference') return 0
  const limit = metadata.annotations?.[historyLimitAnnotation] ?? ''
  return /^\d{1,6}$/.test(limit) ? Number(limit) : defaultHistoryLimit
}
