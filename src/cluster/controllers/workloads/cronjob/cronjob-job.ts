import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { cronJobs } from '#api/batch/v1/resources.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** The name of a Job has the minute, so that one for the same time cannot be created twice. */
export function jobNameAt({ metadata }: CronJob, scheduledMs: number): string {
  return `${metadata.name ?? ''}-${Math.floor(scheduledMs / 60_000)}`
}

/** The Job of a scheduled time. Pure. */
export function jobAt(cronJob: CronJob, scheduledMs: number): Job {
  const { jobTemplate, timeZone } = cronJob.spec
  const { labels, annotations } = jobTemplate.metadata ?? {}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: cronJob.metadata.namespace ?? '',
      name: jobNameAt(cronJob, scheduledMs),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [scheduledAnnotation]: timeIn(timeZone ?? 'UTC', scheduledMs) },
      ownerReferences: [controllerReference(cronJobs, cronJob)],
    },
    spec: jobTemplate.spec,
  }
}

/** RFC 3339 with the offset of a time zone. */
export function timeIn(timeZone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.slice('GMT'.length) ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):(\d\d)/.exec(offset) ?? []
  const shiftMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const local = new Date(ms + shiftMs).toISOString().slice(0, 19)
  return shiftMs === 0 ? `${local}Z` : `${local}${sign}${hours}:${minutes}`
}
