import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { JobTemplateSpec } from './job.ts'

/** Makes Jobs at set times. */
export interface CronJob extends ApiObject {
  /** What is wanted. */
  spec: CronJobSpec
  /** What is known. */
  status?: CronJobStatus
}

/** What is wanted of a CronJob. */
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
   * Makes no Jobs for now.
   * @default false
   */
  suspend?: boolean
  /** What the Jobs look like. */
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

/** What is known of a CronJob. */
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
