import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { JobTemplateSpec } from './job.ts'

/** Creates Jobs on a schedule. */
export interface CronJob extends ApiObject {
  /** Desired state of the CronJob. */
  spec: CronJobSpec
  /** Observed state of the CronJob. */
  status?: CronJobStatus
}

/** Desired state of a CronJob. */
export interface CronJobSpec {
  /** Schedule in Cron format. */
  schedule: string
  /** Time zone of the schedule. */
  timeZone?: string
  /** Maximum delay in seconds of the start of a Job. */
  startingDeadlineSeconds?: Int64
  /**
   * Policy if the previous Job still runs: Allow, Forbid or Replace.
   * @default Allow
   */
  concurrencyPolicy?: string
  /**
   * True if the creation of Jobs is suspended.
   * @default false
   */
  suspend?: boolean
  /** Template of the Jobs. */
  jobTemplate: JobTemplateSpec
  /**
   * Number of succeeded Jobs to keep.
   * @default 3
   */
  successfulJobsHistoryLimit?: Int32
  /**
   * Number of failed Jobs to keep.
   * @default 1
   */
  failedJobsHistoryLimit?: Int32
}

/** Observed state of a CronJob. */
export interface CronJobStatus {
  /**
   * References to the running Jobs.
   * @listType atomic
   */
  active?: ObjectReference[]
  /** Time when a Job was last created. */
  lastScheduleTime?: Time
  /** Time when a Job last succeeded. */
  lastSuccessfulTime?: Time
}
