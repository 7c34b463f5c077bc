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
 * - `shutdown`: the pod goes, and the guest powers off.
 * - `migrate`: the pod stays until the guest has been moved by us.
 * - `external`: the pod stays until somebody else has seen to the guest.
 * - `block`: the pod stays, and nobody can do anything about it.
 */
export type EvictionOutcome = 'shutdown' | 'migrate' | 'external' | 'block'

/** Decides what an eviction comes to. */
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
      // Admission knows no others. Whatever it means, a guest that runs on can still be stopped
      // later.
      return 'block'
  }
}
