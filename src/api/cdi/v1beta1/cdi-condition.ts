import type { Time } from '#api/scalars.ts'

/** Condition of an object of CDI. */
export interface CdiCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last change of the status. */
  lastTransitionTime?: Time
  /** Time of the last update of the condition. */
  lastHeartbeatTime?: Time
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}
