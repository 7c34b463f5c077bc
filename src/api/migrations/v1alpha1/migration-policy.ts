import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, Quantity, UInt32 } from '#api/scalars.ts'
import type { MigrationExperimentalConfiguration } from './migration-experiments.ts'

/** Migration settings for VMIs with certain labels, in namespaces with certain labels. */
export interface MigrationPolicy extends ApiObject {
  /** Selected VMIs and their migration settings. */
  spec: MigrationPolicySpec
  /**
   * Status of the policy. Never written.
   * @nullable
   */
  status?: MigrationPolicyStatus | null
}

/** Status without fields. */
export interface MigrationPolicyStatus {}

/**
 * Selected VMIs and their migration settings. An absent setting has the same value as for all other
 * VMIs.
 */
export interface MigrationPolicySpec {
  /** Selectors of the VMIs. */
  selectors: MigrationPolicySelectors
  /** Allows the throttling of a guest that writes memory faster than the migration copies it. */
  allowAutoConverge?: boolean
  /** Maximum bandwidth of one migration, in bytes per second. */
  bandwidthPerMigration?: Quantity
  /** Timeout of a migration, in seconds for each GiB. */
  completionTimeoutPerGiB?: Int64
  /** Allows the guest to run on the target node before all of its memory is copied (post-copy). */
  allowPostCopy?: boolean
  /** Allows the guest to be paused so that its migration completes. */
  allowWorkloadDisruption?: boolean
  /**
   * Maximum downtime of the guest at the end of a migration, in milliseconds.
   * @format int64
   * @minimum 1
   * @maximum 2000000
   */
  maxDowntimeMs?: UInt32
  /**
   * Settings that may change in any version.
   * @notActedOn
   */
  experimental?: MigrationExperimentalConfiguration
}

/** Selectors of VMIs. A VMI is selected if it matches all labels of both selectors. */
export interface MigrationPolicySelectors {
  /** Labels of the namespace. */
  namespaceSelector?: Record<string, string>
  /** Labels of the VMI. */
  virtualMachineInstanceSelector?: Record<string, string>
}
