import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { evictionOutcome } from '#features/eviction/index.ts'
import { names } from '#features/vmi/index.ts'
import { updateNames } from '#features/workload-update/index.ts'
import { inNamespace } from './finding.ts'
import type { UpgradeInventory } from './inventory.ts'

/**
 * Way in which a running guest gets into a launcher of the new release.
 * - `move`: by live migration.
 * - `stop`: by an eviction and a restart of its VM.
 * - `stuck`: it should migrate and cannot.
 * - `stay`: when its owner restarts it, because updates are disabled for it or for the cluster.
 */
export type GuestUpdate = 'move' | 'stop' | 'stuck' | 'stay'

/** Returns VMIs in phase Running. */
export function runningGuests({ guests }: Pick<UpgradeInventory, 'guests'>): readonly VirtualMachineInstance[] {
  return guests.filter(({ metadata, status }) => status?.phase === 'Running' && !isBeingDeleted({ metadata }))
}

/** Decides how a guest is updated. Pure. */
export function guestUpdateOf(guest: VirtualMachineInstance, { config }: Pick<UpgradeInventory, 'config'>): GuestUpdate {
  const { workloadUpdateMethods: methods } = config
  if (guest.metadata.annotations?.[updateNames.optOutAnnotation] !== undefined) return 'stay'
  if (methods.includes('LiveMigrate') && findCondition(guest.status?.conditions, 'LiveMigratable')?.status === 'True') return 'move'
  if (methods.includes('Evict') && evictionOutcome(guest, config) === 'shutdown') return 'stop'
  return methods.includes('LiveMigrate') ? 'stuck' : 'stay'
}

/** Indexes launcher pods by VMI. */
export function launcherFinder(pods: readonly Pod[]): (guest: VirtualMachineInstance) => Pod | undefined {
  const running = pods.filter(({ status }) => status?.phase === 'Running')
  const byGuest = Map.groupBy(running, ({ metadata }) => metadata.labels?.[names.createdByLabel] ?? '')
  return ({ metadata, status }) => byGuest.get(metadata.uid ?? '')?.find(({ spec }) => spec.nodeName === status?.nodeName)
}

/** Command that excludes a guest from updates until it is restarted. */
export function excludeFromUpdates({ metadata: { name = '', namespace } }: VirtualMachineInstance): string {
  return `kubectl annotate vmi/${name}${inNamespace(namespace)} ${updateNames.optOutAnnotation}=true`
}

/** Name of a VMI for kubectl, with its namespace. */
export function guestObject({ metadata: { name = '', namespace = '' } }: VirtualMachineInstance): string {
  return `vmi/${namespace}/${name}`
}
