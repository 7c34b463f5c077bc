import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { cronScheduleFault } from './cron-schedule.ts'
import { notNegative, oneOf, requiredField } from '../checks/field-checks.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { templateFaults } from '../pod-spec/pod-template-rules.ts'
import { storedOnly } from '../stored-only.ts'

const templateField = 'spec.jobTemplate.spec.template'

/** Strategy of CronJobs, which have no controller here. */
export const cronJobStrategy: Strategy = {
  ...storedOnly('CronJob', 'no Jobs are made at its times; `kubectl create job --from=cronjob/…` makes one'),
  prepareForCreate: (object) => withDefaults(object as CronJob),
  prepareForUpdate: (object) => withDefaults(object as CronJob),
  validate(object): readonly FieldError[] {
    const { spec } = object as CronJob
    const pod = spec.jobTemplate?.spec?.template?.spec
    return [
      ...scheduleFaults(spec.schedule),
      ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
      ...notNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
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

function withDefaults(cronJob: CronJob): CronJob {
  const { spec } = cronJob
  if (spec?.jobTemplate?.spec === undefined) return cronJob
  const { jobTemplate } = spec
  const template = withTemplateDefaults(jobTemplate.spec.template)
  return { ...cronJob, spec: { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } } }
}
