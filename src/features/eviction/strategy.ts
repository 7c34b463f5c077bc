import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'

/** Cluster configuration of evictions. */
export type EvictionConfig = Pick<ClusterConfig, 'evictionStrategy'>

/** Returns the eviction strategy of the VMI, else of the cluster. */
export function evictionStrategyOf({ spec }: VirtualMachineInstance, config: EvictionConfig): string {
  return spec.evictionStrategy || config.evictionStrategy
}

/** Reports whether the node agent has found the guest migratable. */
export function isMigratable({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'LiveMigratable')
}

/**
 * Outcome of an eviction of the guest's pod.
 * - `shutdown`: the pod is deleted, and the guest powers off.
 * - `migrate`: the pod is kept until evacuation has migrated the guest.
 * - `external`: the pod is kept until an external controller has handled the guest.
 * - `block`: the pod is kept.
 */
export type EvictionOutcome = 'shutdown' | 'migrate' | 'external' | 'block'

/** Returns the outcome of an eviction. */
export function evictionOutcome(vmi: VirtualMachineInstance, config: EvictionConfig): EvictionOutcome {
  switch (evictionStrategyOf(vmi, config)) {
    case 'None':
      return 'shutdown'
    case 'LiveMigrate':
      return isMigratable(vmi) ? 'migrate' : 'block'
    case 'LiveMigrateIfPossible':
      return isMigratable(vmi) ? 'migrate' : 'shutdown'
    case 'External':
      return 'external'
    default:
      // Unknown strategies block the eviction: keeping a guest is reversible.
      return 'block'
  }
}
