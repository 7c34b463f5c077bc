import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { evictionOutcome } from '#features/eviction/index.ts'
import { names } from '#features/vmi/index.ts'
import { updateNames } from '#features/workload-update/index.ts'
import { inNamespace } from './finding.ts'
import type { UpgradeWorld } from './world.ts'

/**
 * How a running guest gets into the launcher of the new release.
 * - `move`: by live migration.
 * - `stop`: by an eviction, and the start of its VM after it.
 * - `stuck`: it should be moved, and cannot be.
 * - `stay`: not before its owner restarts it, as was asked for, or because no method is switched
 *   on.
 */
export type Way = 'move' | 'stop' | 'stuck' | 'stay'

/** The guests that run. */
export function runningGuests({ guests }: Pick<UpgradeWorld, 'guests'>): readonly VirtualMachineInstance[] {
  return guests.filter(({ metadata, status }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined)
}

/** How a guest is updated. Pure. */
export function wayOf(guest: VirtualMachineInstance, { config }: Pick<UpgradeWorld, 'config'>): Way {
  const { workloadUpdateMethods: methods } = config
  if (guest.metadata.annotations?.[updateNames.optOutAnnotation] !== undefined) return 'stay'
  if (methods.includes('LiveMigrate') && findCondition(guest.status?.conditions, 'LiveMigratable')?.status === 'True') return 'move'
  if (methods.includes('Evict') && evictionOutcome(guest, config) === 'shutdown') return 'stop'
  return methods.includes('LiveMigrate') ? 'stuck' : 'stay'
}

/** Finds the pod that a guest runs in, of all pods. */
export function launcherFinder(pods: readonly Pod[]): (guest: VirtualMachineInstance) => Pod | undefined {
  const running = pods.filter(({ status }) => status?.phase === 'Running')
  const byGuest = Map.groupBy(running, ({ metadata }) => metadata.labels?.[names.createdByLabel] ?? '')
  return ({ metadata, status }) => byGuest.get(metadata.uid ?? '')?.find(({ spec }) => spec.nodeName === status?.nodeName)
}

/** Says that a guest may stay in its launcher until it is restarted. */
export function leaveAlone({ metadata: { name = '', namespace } }: VirtualMachineInstance): string {
  return `kubectl annotate vmi/${name}${inNamespace(namespace)} ${updateNames.optOutAnnotation}=true`
}

/** How kubectl names a guest, with its namespace. */
export function guestObject({ metadata: { name = '', namespace = '' } }: VirtualMachineInstance): string {
  return `vmi/${namespace}/${name}`
}
