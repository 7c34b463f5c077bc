import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CronJob } from './cron-job.ts'
import type { Job } from './job.ts'

/** `/apis/batch/v1/jobs` */
export const jobs: ResourceType<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true }

/** `/apis/batch/v1/cronjobs` */
export const cronJobs: ResourceType<CronJob> = { group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs', namespaced: true }
