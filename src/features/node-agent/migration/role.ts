import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { activeMigration } from '#features/vmi/index.ts'

/** What a node is to a guest that moves. */
export interface MigrationRole {
  /**
   * `source`: the guest is here and is to leave. `target`: it is to come. `owner`: it is this node's already, and its arrival is to be finished.
   */
  readonly role: 'source' | 'target' | 'owner'
  readonly state: VirtualMachineInstanceMigrationState
}

/** Undefined when the guest does not move, or not from or to this node. */
export function migrationRoleOf(vmi: VirtualMachineInstance, nodeName: string): MigrationRole | undefined {
  const state = activeMigration(vmi)
  // One that was given up with its node does not begin to run when the node comes back.
  if (state === undefined || vmi.status?.phase === 'Failed' || vmi.status?.phase === 'Succeeded') return undefined
  const isHere = vmi.status?.nodeName === nodeName
  if (state.targetNode === nodeName) return { role: isHere ? 'owner' : 'target', state }
  return state.sourceNode === nodeName && isHere ? { role: 'source', state } : undefined
}

/**
 * Whether this node has anything to do with the guest now. A label says no more than that it once
 * had: two writes set it and take it away.
 */
export function isConcerned(vmi: VirtualMachineInstance, nodeName: string): boolean {
  return vmi.status?.nodeName === nodeName || migrationRoleOf(vmi, nodeName) !== undefined
}
