import type { Time } from '#api/scalars.ts'

/** Condition of a snapshot, a restore or a clone. */
export interface SnapshotCondition {
  /** Type of the condition: Ready, Progressing or Failure. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /**
   * Time of the last check of the condition.
   * @nullable
   */
  lastProbeTime?: Time | null
  /**
   * Time of the last change of the status.
   * @nullable
   */
  lastTransitionTime?: Time | null
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}

/** Last error of a snapshot. */
export interface SnapshotError {
  /** Time of the error. */
  time?: Time
  /** Error message. */
  message?: string
}
