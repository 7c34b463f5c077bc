import type { Time } from '#api/scalars.ts'

/** One aspect of the state of a snapshot, a restore or a clone. */
export interface SnapshotCondition {
  /** Name of the aspect: Ready, Progressing or Failure. */
  type: string
  /** True, False or Unknown. */
  status: string
  /**
   * When it was last checked.
   * @nullable
   */
  lastProbeTime?: Time | null
  /**
   * When the status last changed.
   * @nullable
   */
  lastTransitionTime?: Time | null
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** Last error. */
export interface SnapshotError {
  /** When. */
  time?: Time
  /** Error message. */
  message?: string
}
