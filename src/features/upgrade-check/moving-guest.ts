import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { fateOf } from '#features/eviction/index.ts'
import { names } from '#features/vmi/index.ts'
import { updateNames } from '#features/workload-update/index.ts'
import { inNamespace } from './finding.ts'
import type { UpgradeWorld } from './world.ts'

/**
 * How a running guest gets into the launcher of the new release.
 * - `move`: by live migration.
 * - `stop`: by an eviction, and the start of its VM after it.
 * - `stuck`: it should be moved, and cannot be.
 * - `stay`: not before its owner restarts it, as was asked for, or because no method is switched on.
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
  if (methods.includes('Evict') && fateOf(guest, config) === 'stop') return 'stop'
  return methods.includes('LiveMigrate') ? 'stuck' : 'stay'
}

/** The pod that a guest runs in. */
export function podOf(guest: VirtualMachineInstance, pods: readonly Pod[]): Pod | undefined {
  return pods.find(
    ({ metadata, spec, status }) =>
      metadata.labels?.[names.createdByLabel] === guest.metadata.uid &&
      spec.nodeName === guest.status?.nodeName &&
      status?.phase === 'Running',
  )
}

/** Says that a guest may stay in its launcher until it is restarted. */
export function leaveAlone({ metadata: { name = '', namespace } }: VirtualMachineInstance): string {
  return `kubectl annotate vmi/${name}${inNamespace(namespace)} ${updateNames.optOutAnnotation}=true`
}

/** How kubectl names a guest, with its namespace. */
export function guestObject({ metadata: { name = '', namespace = '' } }: VirtualMachineInstance): string {
  return `vmi/${namespace}/${name}`
}
