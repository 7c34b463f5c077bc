import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { VirtualMachineInstanceMigrationState } from './migration-state.ts'

/** Request to migrate a running VMI to another node, once. */
export interface VirtualMachineInstanceMigration extends ApiObject {
  /** VMI to migrate, and constraints on the target. */
  spec: VirtualMachineInstanceMigrationSpec
  /** Observed state of the migration. */
  status?: VirtualMachineInstanceMigrationStatus
}

/** VMI to migrate, and constraints on the target. */
export interface VirtualMachineInstanceMigrationSpec {
  /** Name of the VMI, in the same namespace. */
  vmiName?: string
  /** Labels that the target node must have in addition to the node selector of the VMI. */
  addedNodeSelector?: Record<string, string>
  /**
   * Priority of the migration: system-critical, user-triggered or system-maintenance. Pending
   * migrations start in this order. Set by the control plane.
   */
  priority?: string
  /** Target of a migration to another cluster. */
  sendTo?: VirtualMachineInstanceMigrationSource
  /** Source of a migration from another cluster. */
  receive?: VirtualMachineInstanceMigrationTarget
}

/** Target of a migration to another cluster. */
export interface VirtualMachineInstanceMigrationSource {
  /** ID of the migration in both clusters. */
  migrationID: string
  /** URL of the other cluster. */
  connectURL: string
}

/** Source of a migration from another cluster. */
export interface VirtualMachineInstanceMigrationTarget {
  /** ID of the migration in both clusters. */
  migrationID: string
}

/** Phase of a migration. Empty before the migration is first processed. */
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

/** Observed state of a migration. */
export interface VirtualMachineInstanceMigrationStatus {
  /** Phase of the migration. */
  phase?: VirtualMachineInstanceMigrationPhase
  /**
   * Time at which each phase started.
   * @listType atomic
   */
  phaseTransitionTimestamps?: VirtualMachineInstanceMigrationPhaseTransitionTimestamp[]
  /** Conditions that prevent or delay the migration. */
  conditions?: VirtualMachineInstanceMigrationCondition[]
  /** Migration state of the VMI at the end of the migration. */
  migrationState?: VirtualMachineInstanceMigrationState
  /**
   * Addresses for a migration to another cluster.
   * @listType atomic
   */
  synchronizationAddresses?: string[]
}

/** Condition that prevents or delays a migration. */
export interface VirtualMachineInstanceMigrationCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** Time of the last check of the condition. */
  lastProbeTime?: Time | null
  /** Time of the last change of the status. */
  lastTransitionTime?: Time | null
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}

/** Time at which a phase started. */
export interface VirtualMachineInstanceMigrationPhaseTransitionTimestamp {
  /** Phase of the migration. */
  phase?: VirtualMachineInstanceMigrationPhase
  /** Time at which the phase started. */
  phaseTransitionTimestamp?: Time
}
