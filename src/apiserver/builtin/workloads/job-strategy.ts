import type { Job, JobSpec } from '#api/batch/v1/job.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative, oneOf, requiredField } from '../checks/field-checks.ts'
import { immutableSelector } from '../checks/go-values.ts'
import { immutableField } from '../checks/immutable-field.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { selectorFaults, templateFaults } from '../pod-spec/pod-template-rules.ts'
import { jobPolicyFaults, restrictedByPolicyFaults } from './job-policy-faults.ts'

const uidLabel = 'batch.kubernetes.io/controller-uid'
const nameLabel = 'batch.kubernetes.io/job-name'
/** Unprefixed name of the label in old versions. */
const legacyUidLabel = 'controller-uid'
const legacyNameLabel = 'job-name'

/** Strategy of Jobs: selects pods by uid; the template is immutable. */
export const jobStrategy: Strategy = {
  orphansDependents: true,
  prepareForCreate: (object) => withSelector(withDefaults(object as Job)),
  prepareForUpdate: (object) => withDefaults(object as Job),
  validate: (object, old) => [
    ...jobSpecFaults((object as Job).spec),
    ...selectorFaults((object as Job).spec.selector, (object as Job).spec.template, 'job'),
    ...(old === undefined ? [] : changeFaults(object as Job, old as Job)),
  ],
}

/** Validates the spec of a Job or a Job template. */
function jobSpecFaults(spec: JobSpec): readonly FieldError[] {
  const { template, completionMode = 'NonIndexed' } = spec
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const
  const { restartPolicy = 'Always' } = template?.spec ?? {}
  const policyField = 'spec.template.spec.restartPolicy'
  return [
    ...counts.flatMap((field) => notNegative(`spec.${field}`, spec[field])),
    ...(['NonIndexed', 'Indexed'].includes(completionMode) ? [] : oneOf('spec.completionMode', completionMode, ['Indexed', 'NonIndexed'])),
    ...(completionMode === 'Indexed' && spec.completions === undefined
      ? [requiredField('spec.completions', 'when completion mode is Indexed')]
      : []),
    ...jobPolicyFaults(spec),
    ...templateFaults(template, 'spec.template'),
    ...(restartPolicy === 'Always' ? [requiredField(policyField, 'valid values: "OnFailure", "Never"')] : []),
    ...restrictedByPolicyFaults(spec),
  ]
}

function withDefaults(job: Job): Job {
  const { spec } = job
  if (spec === undefined) return job
  const single = spec.completions === undefined && spec.parallelism === undefined
  return {
    ...job,
    spec: {
      ...spec,
      ...(single ? { completions: 1 } : {}),
      parallelism: spec.parallelism ?? 1,
      // Failures of an index alone count, unless a limit for all of them is set, too.
      backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1),
      podReplacementPolicy: spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'),
      template: withTemplateDefaults(spec.template),
    },
  }
}

/** Sets a unique selector and labels, unless `manualSelector` is set. */
function withSelector(job: Job): Job {
  const { metadata, spec } = job
  if (spec?.template === undefined || spec.manualSelector === true) return job
  const { uid = '', name = '' } = metadata
  const labels = {
    ...spec.template.metadata?.labels,
    [uidLabel]: uid,
    [nameLabel]: name,
    [legacyUidLabel]: uid,
    [legacyNameLabel]: name,
  }
  const selector = { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [uidLabel]: uid } }
  const own = Object.keys(metadata.labels ?? {}).length === 0 ? { ...metadata, labels } : metadata
  return {
    ...job,
    metadata: own,
    spec: { ...spec, selector, template: { ...spec.template, metadata: { ...spec.template.metadata, labels } } },
  }
}

function changeFaults(job: Job, old: Job): readonly FieldError[] {
  const { spec } = job
  const suspended = old.spec.suspend === true && old.status?.startTime === undefined
  const same = (template: PodTemplateSpec): unknown => (suspended ? withoutPlacement(template) : template)
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  return [
    ...immutableSelector(spec.selector, old.spec.selector),
    ...immutableField('spec.template', same(spec.template), same(old.spec.template)),
    ...immutableField('spec.completionMode', spec.completionMode, old.spec.completionMode),
    ...immutableField('spec.podFailurePolicy', spec.podFailurePolicy, old.spec.podFailurePolicy),
    ...immutableField('spec.backoffLimitPerIndex', spec.backoffLimitPerIndex, old.spec.backoffLimitPerIndex),
    ...immutableField('spec.successPolicy', spec.successPolicy, old.spec.successPolicy),
    ...(elastic ? [] : immutableField('spec.completions', spec.completions, old.spec.completions)),
    ...shrinkFaults(spec, old.spec),
  ]
}

function shrinkFaults(spec: JobSpec, old: JobSpec): readonly FieldError[] {
  const field = 'spec.podReplacementPolicy'
  const { podReplacementPolicy: value } = spec
  if (value === undefined || value === 'TerminatingOrFailed' || value === 'Failed') return []
  return value === old.podReplacementPolicy ? [] : [invalidValue(field, value, 'must be "TerminatingOrFailed" or "Failed"')]
}

/** Scheduling fields stay mutable while a Job has never started. */
function withoutPlacement({ metadata, spec }: PodTemplateSpec): unknown {
  const { affinity: _affinity, nodeSelector: _nodes, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec
  const { labels: _labels, annotations: _annotations, ...others } = metadata ?? {}
  return { metadata: others, spec: rest }
}
