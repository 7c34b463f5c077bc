import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { activeMigration } from '#features/vmi/index.ts'

/** Role of a node in a migration. */
export interface MigrationRole {
  /**
   * `source`: runs the guest and sends it. `target`: receives it. `owner`: the target after it has
   * taken ownership, until the migration is complete.
   */
  readonly role: 'source' | 'target' | 'owner'
  readonly state: VirtualMachineInstanceMigrationState
}

/** Returns the node's role; undefined when the guest does not migrate from or to this node. */
export function migrationRoleOf(vmi: VirtualMachineInstance, nodeName: string): MigrationRole | undefined {
  const state = activeMigration(vmi)
  // A guest that failed with its node must not start when the node returns.
  if (state === undefined || isVmiFinal(vmi)) return undefined
  const isHere = vmi.status?.nodeName === nodeName
  if (state.targetNode === nodeName) return { role: isHere ? 'owner' : 'target', state }
  return state.sourceNode === nodeName && isHere ? { role: 'source', state } : undefined
}

/**
 * Reports whether this node handles the guest. The node labels alone do not tell: they are set and
 * removed by separate writes.
 */
export function isConcerned(vmi: VirtualMachineInstance, nodeName: string): boolean {
  return vmi.status?.nodeName === nodeName || migrationRoleOf(vmi, nodeName) !== undefined
}
