import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { JobTemplateSpec } from './job.ts'

/** Creates Jobs on a schedule. */
export interface CronJob extends ApiObject {
  /** Desired state. */
  spec: CronJobSpec
  /** Observed state. */
  status?: CronJobStatus
}

/** Desired state of a CronJob. */
export interface CronJobSpec {
  /** When, in Cron's format. */
  schedule: string
  /** Time zone of the schedule. */
  timeZone?: string
  /** Seconds by which a Job may be late. */
  startingDeadlineSeconds?: Int64
  /**
   * Allow, Forbid or Replace: what if the last Job still runs.
   * @default Allow
   */
  concurrencyPolicy?: string
  /**
   * Suspends the creation of Jobs.
   * @default false
   */
  suspend?: boolean
  /** Template of the Jobs. */
  jobTemplate: JobTemplateSpec
  /**
   * Jobs kept that succeeded.
   * @default 3
   */
  successfulJobsHistoryLimit?: Int32
  /**
   * Jobs kept that failed.
   * @default 1
   */
  failedJobsHistoryLimit?: Int32
}

/** Observed state of a CronJob. */
export interface CronJobStatus {
  /**
   * Jobs that run.
   * @listType atomic
   */
  active?: ObjectReference[]
  /** When a Job was last made. */
  lastScheduleTime?: Time
  /** When a Job last succeeded. */
  lastSuccessfulTime?: Time
}
