import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, Quantity, RawObject, UInt32 } from '#api/scalars.ts'

/** How guests with certain labels, in namespaces with certain labels, are moved. */
export interface MigrationPolicy extends ApiObject {
  /** Which guests, and how. */
  spec: MigrationPolicySpec
  /** Nothing is written here. */
  status?: RawObject
}

/** Which guests are moved in which way. What is not set is as for all other guests. */
export interface MigrationPolicySpec {
  /** Which guests. */
  selectors: MigrationPolicySelectors
  /** Whether a guest that writes faster than it can be copied is slowed down. */
  allowAutoConverge?: boolean
  /** Bytes a second that one migration may take. */
  bandwidthPerMigration?: Quantity
  /** Seconds for each GiB until a migration is given up. */
  completionTimeoutPerGiB?: Int64
  /** Whether the guest may run on its new node before all of its memory is there. */
  allowPostCopy?: boolean
  /** Whether the guest may be stopped so that its migration ends. */
  allowWorkloadDisruption?: boolean
  /**
   * Milliseconds that the guest may stand still at the end.
   * @format int64
   * @maximum 4294967295
   */
  maxDowntimeMs?: UInt32
}

/** Which guests: those that have all labels of both. */
export interface MigrationPolicySelectors {
  /** Labels of the namespace. */
  namespaceSelector?: Record<string, string>
  /** Labels of the guest. */
  virtualMachineInstanceSelector?: Record<string, string>
}
