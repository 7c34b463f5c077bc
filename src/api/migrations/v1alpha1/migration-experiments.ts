import type { Int32, Int64, Quantity } from '#api/scalars.ts'

/** Settings of migrations that may change in any version. */
export interface MigrationExperimentalConfiguration {
  /**
   * Compression of the memory that is sent.
   * @enum none,zstd
   */
  compression?: string
  /** Downtime that a migration begins with, and how it grows. */
  downtimeTuning?: DowntimeTuning
  /** Detection of a migration that makes no progress. */
  stallDetector?: StallDetector
}

/** Downtime that a migration begins with, and how it grows. */
export interface DowntimeTuning {
  /**
   * Seconds between two steps.
   * @minimum 1
   */
  cooldownSeconds?: Int32
  /**
   * First downtime, in milliseconds.
   * @minimum 1
   */
  initialMs?: Int64
  /**
   * Passes over the memory before the first step.
   * @minimum 1
   */
  startAfterIteration?: Int64
  /**
   * Steps from the first to the largest downtime.
   * @minimum 1
   */
  steps?: Int32
}

/** Detection of a migration that makes no progress. */
export interface StallDetector {
  /** Factor of the completion timeout after which the migration is stalled. */
  completionTimeoutFactor?: Quantity
  /** Weight of the newest measurement in the average. */
  ewmaAlpha?: Quantity
  /** Factor by which the patience shrinks. */
  patienceWindowDecayFactor?: Quantity
  /** Factor of the downtime below which pre-copy is taken to complete. */
  precopyPossibleFactor?: Quantity
  /** Waits for a pass with little remaining memory. */
  searchLocalMinima?: boolean
  /**
   * Progress below which a pass counts as stalled, in percent.
   * @minimum 0
   * @maximum 100
   */
  stallMargin?: Int64
  /**
   * Seconds without progress.
   * @minimum 0
   */
  stallProgressTimeout?: Int64
  /**
   * Seconds for the change to the target.
   * @minimum 0
   */
  switchoverTimeout?: Int64
}
