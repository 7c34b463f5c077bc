import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { cronJobs, jobs } from '#api/batch/v1/resources.ts'
import { humanDuration } from '#apimachinery/age.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { ageColumn, ageOf, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { cronJobStrategy } from './cron-job-strategy.ts'
import { jobStrategy } from './job-strategy.ts'
import { containerColumns, selectorColumn } from './workload-columns.ts'

/** Resources of `batch/v1`. */
export function batchDefinitions(): ResourceDefinition[] {
  return [jobDefinition(), cronJobDefinition()]
}

function jobDefinition(): ResourceDefinition {
  const column = columnsOf<Job>()
  return defineResource({
    ...jobs,
    categories: ['all'],
    schema: schemaOf(jobs),
    hasStatus: true,
    hasGeneration: true,
    columns: [
      nameColumn,
      column('Status', stateOf),
      column('Completions', completionsOf),
      column('Duration', durationOf),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    selectableFields: new Map([['status.successful', (object) => String((object as Job).status?.succeeded ?? 0)]]),
    strategy: jobStrategy,
  })
}

function stateOf(job: Job): string {
  const { status } = job
  for (const type of ['Complete', 'Failed']) if (isTrue(status?.conditions, type)) return type
  if (isBeingDeleted(job)) return 'Terminating'
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) if (isTrue(status?.conditions, type)) return type
  return 'Running'
}

function completionsOf({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec
  const succeeded = status?.succeeded ?? 0
  if (completions !== undefined) return `${succeeded}/${completions}`
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function durationOf({ status }: Job, nowMs: number): string {
  const { startTime, completionTime } = status ?? {}
  if (startTime === undefined) return ''
  return humanDuration((completionTime === undefined ? nowMs : Date.parse(completionTime)) - Date.parse(startTime))
}

function cronJobDefinition(): ResourceDefinition {
  const column = columnsOf<CronJob>()
  return defineResource({
    ...cronJobs,
    shortNames: ['cj'],
    categories: ['all'],
    schema: schemaOf(cronJobs),
    hasStatus: true,
    hasGeneration: true,
    columns: [
      nameColumn,
      column('Schedule', ({ spec }) => spec.schedule),
      column('Timezone', ({ spec }) => spec.timeZone ?? '<none>'),
      column('Suspend', ({ spec }) => (spec.suspend === true ? 'True' : 'False')),
      column('Active', ({ status }) => (status?.active ?? []).length, { type: 'integer' }),
      column('Last Schedule', ({ status }, nowMs) =>
        status?.lastScheduleTime === undefined ? '<none>' : ageOf(status.lastScheduleTime, nowMs),
      ),
      ageColumn,
      ...containerColumns,
      // That of the template, which API servers set for jobs only.
      column('Selector', ({ spec }) => orNone(labelSelectorFromObject(spec.jobTemplate.spec?.selector ?? {}).toString()), { priority: 1 }),
    ],
    strategy: cronJobStrategy,
  })
}
