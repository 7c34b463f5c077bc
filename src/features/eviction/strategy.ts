import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'

/** What the cluster says about evictions. */
export type EvictionConfig = Pick<ClusterConfig, 'evictionStrategy'>

/**
 * What happens to the guest when its pod is to be evicted: what the VMI says, else what the cluster
 * says.
 */
export function evictionStrategyOf({ spec }: VirtualMachineInstance, config: EvictionConfig): string {
  return spec.evictionStrategy || config.evictionStrategy
}

/** Whether the node agent says that the guest can be moved. */
export function isMigratable({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'LiveMigratable')
}

/**
 * What an eviction of the guest's pod comes to.
 * - `stop`: the pod goes, and the guest powers off.
 * - `move`: the pod stays until the guest has been moved by us.
 * - `hand`: the pod stays until somebody else has seen to the guest.
 * - `stay`: the pod stays, and nobody can do anything about it.
 */
export type Fate = 'stop' | 'move' | 'hand' | 'stay'

/** Decides what an eviction comes to. */
export function fateOf(vmi: VirtualMachineInstance, config: EvictionConfig): Fate {
  switch (evictionStrategyOf(vmi, config)) {
    case 'None':
      return 'stop'
    case 'LiveMigrate':
      return isMigratable(vmi) ? 'move' : 'stay'
    case 'LiveMigrateIfPossible':
      return isMigratable(vmi) ? 'move' : 'stop'
    case 'External':
      return 'hand'
    default:
      // Admission knows no others. Whatever it means, a guest that runs on can still be stopped
      // later.
      return 'stay'
  }
}
