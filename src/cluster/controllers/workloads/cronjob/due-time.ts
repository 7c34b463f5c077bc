import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { Schedule } from '#runtime/clock/schedule.ts'

/** From this number of missed times on, an event tells of them. */
const mostMissed = 100
/** Delay after a scheduled time, so that the clock has passed it for certain. */
const marginMs = 100

/** Last time of a schedule that has come. */
export interface DueTime {
  /** Undefined: no time has come since the last one. */
  readonly dueMs: number | undefined
  /** True when more than a hundred times have passed. */
  readonly tooMany: boolean
}

/**
 * Returns the last scheduled time up to now that no Job was created for. Times before the starting
 * deadline do not count unless `ignoresDeadline`. The number of missed
 * times is estimated by the first interval, as in kube-controller-manager. Pure.
 */
export function dueTime(cronJob: CronJob, schedule: Schedule, nowMs: number, ignoresDeadline: boolean = false): DueTime {
  const earliestMs = earliest(cronJob, nowMs, ignoresDeadline)
  const dueMs = schedule.last(earliestMs, nowMs)
  if (dueMs === undefined) return { dueMs, tooMany: false }
  const firstMs = schedule.next(earliestMs) ?? dueMs
  const intervalMs = (schedule.next(firstMs) ?? Infinity) - firstMs
  return { dueMs, tooMany: Math.floor((nowMs - firstMs) / intervalMs) + 1 > mostMissed }
}

/** Milliseconds from now to the next scheduled time; undefined when there is none. */
export function untilNext(cronJob: CronJob, schedule: Schedule, nowMs: number): number | undefined {
  const { dueMs } = dueTime(cronJob, schedule, nowMs, true)
  const nextMs = schedule.next(dueMs ?? earliest(cronJob, nowMs, true))
  return nextMs === undefined ? undefined : Math.max(0, nextMs + marginMs - nowMs)
}

function earliest({ metadata, spec, status }: CronJob, nowMs: number, ignoresDeadline: boolean): number {
  const lastMs = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '')
  const { startingDeadlineSeconds } = spec
  if (ignoresDeadline || startingDeadlineSeconds === undefined) return lastMs
  return Math.max(lastMs, nowMs - startingDeadlineSeconds * 1000)
}
