import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { isTimeZone } from '#apimachinery/time-zone.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { cronScheduleFault } from './cron-schedule.ts'
import { notNegative, oneOf, requiredField } from '../checks/field-checks.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { templateFaults } from '../pod-spec/pod-template-rules.ts'

const longestName = 52
const templateField = 'spec.jobTemplate.spec.template'

/** Strategy of CronJobs. */
export const cronJobStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as CronJob),
  prepareForUpdate: (object) => withDefaults(object as CronJob),
  validate(object): readonly FieldError[] {
    const { spec } = object as CronJob
    const pod = spec.jobTemplate?.spec?.template?.spec
    return [
      ...nameFaults(object.metadata?.name ?? ''),
      ...scheduleFaults(spec.schedule),
      ...zoneFaults(spec.timeZone),
      ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
      ...notNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
      ...notNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
      ...notNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
      ...templateFaults(spec.jobTemplate?.spec?.template, templateField),
      ...((pod?.restartPolicy ?? 'Always') === 'Always'
        ? [requiredField(`${templateField}.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]
        : []),
    ]
  },
}

function scheduleFaults(schedule: string): readonly FieldError[] {
  if (schedule === '') return [requiredField('spec.schedule')]
  if (/\bTZ=|\bCRON_TZ=/.test(schedule)) {
    return [invalidValue('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
  }
  const why = cronScheduleFault(schedule)
  return why === undefined ? [] : [invalidValue('spec.schedule', schedule, why)]
}

/** Job names append a dash and the minute. */
function nameFaults(name: string): readonly FieldError[] {
  return name.length <= longestName ? [] : [invalidValue('metadata.name', name, `must be no more than ${longestName} characters`)]
}

function zoneFaults(timeZone: string | undefined): readonly FieldError[] {
  const field = 'spec.timeZone'
  if (timeZone === undefined) return []
  if (timeZone === '') return [invalidValue(field, timeZone, 'timeZone must be nil or non-empty string')]
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
  return [
    ...(timeZone.toLowerCase() === 'local' ? [invalidValue(field, timeZone, explicit)] : []),
    ...(isTimeZone(timeZone) || timeZone === 'Local' ? [] : [invalidValue(field, timeZone, `unknown time zone ${timeZone}`)]),
  ]
}

function withDefaults(cronJob: CronJob): CronJob {
  const { spec } = cronJob
  if (spec?.jobTemplate?.spec === undefined) return cronJob
  const { jobTemplate } = spec
  const template = withTemplateDefaults(jobTemplate.spec.template)
  return { ...cronJob, spec: { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } } }
}
