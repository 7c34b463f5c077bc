import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { VirtualMachineInstanceMigrationState } from './migration-state.ts'

/** Asks for a running guest to go to another node, once. */
export interface VirtualMachineInstanceMigration extends ApiObject {
  /** Which guest, and where it may go. */
  spec: VirtualMachineInstanceMigrationSpec
  /** How far it is. */
  status?: VirtualMachineInstanceMigrationStatus
}

/** Which guest is to go, and where it may go. */
export interface VirtualMachineInstanceMigrationSpec {
  /** Name of the guest in the same namespace. */
  vmiName?: string
  /** Labels that the target node must have besides those that the guest asks for. */
  addedNodeSelector?: Record<string, string>
  /**
   * system-critical, user-triggered or system-maintenance; who waits goes in this order. Written by
   * the system.
   */
  priority?: string
  /** Where the guest is sent to in another cluster. */
  sendTo?: VirtualMachineInstanceMigrationSource
  /** Migration received from another cluster. */
  receive?: VirtualMachineInstanceMigrationTarget
}

/** Where a guest is sent to in another cluster. */
export interface VirtualMachineInstanceMigrationSource {
  /** Names the migration on both sides. */
  migrationID: string
  /** Where the other cluster is reached. */
  connectURL: string
}

/** Migration received from another cluster. */
export interface VirtualMachineInstanceMigrationTarget {
  /** Names the migration on both sides. */
  migrationID: string
}

/** How far a migration is. Empty before anyone has looked at it. */
export type VirtualMachineInstanceMigrationPhase =
  | ''
  | 'Pending'
  | 'Scheduling'
  | 'Scheduled'
  | 'PreparingTarget'
  | 'TargetReady'
  | 'Running'
  | 'Succeeded'
  | 'Failed'

/** How far a migration is. */
export interface VirtualMachineInstanceMigrationStatus {
  /** The step. */
  phase?: VirtualMachineInstanceMigrationPhase
  /**
   * When each step began.
   * @listType atomic
   */
  phaseTransitionTimestamps?: VirtualMachineInstanceMigrationPhaseTransitionTimestamp[]
  /** Obstacles, by type. */
  conditions?: VirtualMachineInstanceMigrationCondition[]
  /** The guest's own record, as it was at the end. */
  migrationState?: VirtualMachineInstanceMigrationState
}

/** One thing that is in the way of a migration. */
export interface VirtualMachineInstanceMigrationCondition {
  /** Name of the aspect. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last checked. */
  lastProbeTime?: Time | null
  /** When the status last changed. */
  lastTransitionTime?: Time | null
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** When a step began. */
export interface VirtualMachineInstanceMigrationPhaseTransitionTimestamp {
  /** The step. */
  phase?: VirtualMachineInstanceMigrationPhase
  /** When. */
  phaseTransitionTimestamp?: Time
}
