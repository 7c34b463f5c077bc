import type { CronJob, CronJobStatus } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isTimeZone } from '#apimachinery/time-zone.ts'
import { isFinished } from '../job/conditions.ts'
import { jobAt, jobNameAt } from './cronjob-job.ts'
import { dueTime, untilNext } from './due-time.ts'
import { parseSchedule, type Schedule, ScheduleError } from '#runtime/clock/schedule.ts'

/** Input of {@link decideCronJob}. */
export interface CronJobObservation {
  readonly cronJob: CronJob
  /** Jobs that the CronJob controls. */
  readonly jobs: readonly Job[]
}

/** An event of a CronJob. */
export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/**
 * Writes that a CronJob needs. Jobs are created and deleted before the status is stored: their
 * names tell after a crash which times have been served.
 */
export interface CronJobDecision {
  /** Jobs to delete, each with its pods. */
  readonly remove: readonly Job[]
  readonly create: Job | undefined
  /** Scheduled time of the Job to create, RFC 3339. */
  readonly scheduledTime: string | undefined
  /** Status without the Job to create. */
  readonly status: CronJobStatus
  readonly events: readonly CronJobEvent[]
  readonly recheckAfterMs: number | undefined
}

type ActiveReference = NonNullable<CronJobStatus['active']>[number]

const normal = (reason: string, message: string): CronJobEvent => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): CronJobEvent => ({ type: 'Warning', reason, message })

/** Decides the next step of a CronJob. Pure. */
export function decideCronJob({ cronJob, jobs }: CronJobObservation, nowMs: number): CronJobDecision {
  const { status, events } = observedStatus(cronJob, jobs)
  const old = oldJobs(cronJob, jobs)
  const idle: CronJobDecision = { remove: old, create: undefined, scheduledTime: undefined, status, events, recheckAfterMs: undefined }
  const { spec } = cronJob
  if (isBeingDeleted(cronJob)) return { ...idle, remove: [] }
  if (spec.timeZone !== undefined && !isTimeZone(spec.timeZone)) {
    return {
      ...idle,
      events: [...events, warning('UnknownTimeZone', `invalid timeZone: "${spec.timeZone}": unknown time zone ${spec.timeZone}`)],
    }
  }
  if (spec.suspend === true) return idle
  try {
    return decideScheduled(cronJob, jobs, parseSchedule(spec.schedule, spec.timeZone), nowMs, idle)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return { ...idle, events: [...events, warning('UnparseableSchedule', `unparseable schedule: "${spec.schedule}" : ${error.message}`)] }
  }
}

function decideScheduled(
  cronJob: CronJob,
  jobs: readonly Job[],
  schedule: Schedule,
  nowMs: number,
  idle: CronJobDecision,
): CronJobDecision {
  const { spec } = cronJob
  const { status } = idle
  const { dueMs, tooMany } = dueTime(cronJob, schedule, nowMs)
  const recheckAfterMs = untilNext(cronJob, schedule, nowMs)
  const events = tooMany
    ? [
        ...idle.events,
        warning('TooManyMissedTimes', 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'),
      ]
    : idle.events
  const waiting = { ...idle, events, recheckAfterMs }
  if (dueMs === undefined) return waiting
  const scheduledTime = timeText(dueMs)
  const deadlineMs = spec.startingDeadlineSeconds === undefined ? Infinity : dueMs + spec.startingDeadlineSeconds * 1000
  if (deadlineMs < nowMs) {
    return { ...waiting, events: [...events, warning('MissSchedule', `Missed scheduled time to start a job: ${rfc1123(dueMs)}`)] }
  }
  // A Job of this time exists when its creation, but not the status, was stored.
  const made = jobs.find(({ metadata }) => metadata.name === jobNameAt(cronJob, dueMs))
  if (made !== undefined || cronJob.status?.lastScheduleTime === scheduledTime) {
    return made === undefined ? waiting : { ...waiting, status: withJob(status, made, scheduledTime) }
  }
  const active = status.active ?? []
  if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    return { ...waiting, events: [...events, normal('JobAlreadyActive', message)] }
  }
  const replaced = spec.concurrencyPolicy === 'Replace' ? jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid)) : []
  return {
    ...waiting,
    remove: [...idle.remove, ...replaced],
    create: jobAt(cronJob, dueMs),
    scheduledTime,
    status: replaced.length === 0 ? status : withActive(status, []),
  }
}

/** Brings the list of active Jobs up to date. Pure. */
function observedStatus(
  { status: before = {} }: CronJob,
  jobs: readonly Job[],
): { status: CronJobStatus; events: readonly CronJobEvent[] } {
  const events: CronJobEvent[] = []
  const active = (before.active ?? []).filter((reference) => {
    const job = jobs.find(({ metadata }) => metadata.uid === reference.uid)
    if (job === undefined) events.push(normal('MissingJob', `Active job went missing: ${reference.name ?? ''}`))
    else if (isFinished(job)) {
      const condition = isTrue(job.status?.conditions, 'Complete') ? 'Complete' : 'Failed'
      events.push(normal('SawCompletedJob', `Saw completed job: ${reference.name ?? ''}, condition: ${condition}`))
    } else return true
    return false
  })
  const times = jobs.flatMap(({ status }) => (isTrue(status?.conditions, 'Complete') ? (status?.completionTime ?? []) : []))
  const last = [...times, before.lastSuccessfulTime ?? ''].reduce((latest, time) => (time > latest ? time : latest), '')
  return { status: { ...withActive(before, active), ...(last === '' ? {} : { lastSuccessfulTime: last }) }, events }
}

function withActive(status: CronJobStatus, active: readonly ActiveReference[]): CronJobStatus {
  const { active: _, ...rest } = status
  return active.length === 0 ? rest : { ...rest, active: [...active] }
}

/** Adds a Job, and the time that it was created for. Pure. */
export function withJob(status: CronJobStatus, job: Job, scheduledTime: string): CronJobStatus {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = job.metadata
  const known = (status.active ?? []).filter((reference) => reference.uid !== uid)
  const reference = { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion }
  const next = isFinished(job) ? status : withActive(status, [...known, reference])
  return { ...next, lastScheduleTime: scheduledTime }
}

/** Finished Jobs beyond the limits of the history, oldest first. Pure. */
function oldJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const started = ({ status, metadata }: Job): string => `${status?.startTime ?? metadata.creationTimestamp ?? ''}/${metadata.name ?? ''}`
  const beyond = (type: 'Complete' | 'Failed', limit: number | undefined): readonly Job[] => {
    if (limit === undefined) return []
    const finished = jobs.filter((job) => isTrue(job.status?.conditions, type) && !isBeingDeleted(job))
    return finished.toSorted((a, b) => (started(a) < started(b) ? -1 : 1)).slice(0, Math.max(0, finished.length - limit))
  }
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)]
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '')
}

/** `Mon, 02 Jan 2006 15:04:05 +0000`. */
function rfc1123(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000')
}
