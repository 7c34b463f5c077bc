import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative, oneOf } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { goIntOrString, immutableSelector, invalidShown } from '../checks/go-values.ts'
import { intOrPercentFaults, isZero, overHundredFaults } from '../checks/int-or-percent.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'
import { withRollingDefaults } from './rolling-update.ts'

/**
 * Strategy of Deployments: the selector is immutable; maxSurge and maxUnavailable cannot both be 0.
 */
export const deploymentStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as Deployment),
  prepareForUpdate: (object) => withDefaults(object as Deployment),
  validate(object, old) {
    const { spec } = object as Deployment
    return [
      ...notNegative('spec.replicas', spec.replicas),
      ...selectorFaults(spec.selector, spec.template, 'deployment'),
      ...lastingTemplateFaults(spec.template, 'ReplicaSet'),
      ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...rolloutFaults(spec),
      ...deadlineFaults(spec),
      ...(old === undefined ? [] : immutableSelector(spec.selector, (old as Deployment).spec.selector)),
    ]
  },
}

function withDefaults(deployment: Deployment): Deployment {
  const { spec } = deployment
  if (spec === undefined) return deployment
  const strategy = withRollingDefaults(spec.strategy, { maxUnavailable: '25%', maxSurge: '25%' })
  return {
    ...deployment,
    spec: { ...spec, strategy, template: withTemplateDefaults(spec.template) },
  }
}

function rolloutFaults({ strategy }: Deployment['spec']): readonly FieldError[] {
  const field = 'spec.strategy.rollingUpdate'
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {}
  if (type === 'Recreate') {
    return rollingUpdate === undefined ? [] : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")]
  }
  if (type !== 'RollingUpdate') return oneOf('spec.strategy.type', type, ['Recreate', 'RollingUpdate'])
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {}
  const stuck = isZero(maxUnavailable) && isZero(maxSurge)
  return [
    ...intOrPercentFaults(`${field}.maxUnavailable`, maxUnavailable),
    ...intOrPercentFaults(`${field}.maxSurge`, maxSurge),
    ...(stuck ? [invalidShown(`${field}.maxUnavailable`, goIntOrString(maxUnavailable ?? 0), 'may not be 0 when `maxSurge` is 0')] : []),
    ...overHundredFaults(`${field}.maxUnavailable`, maxUnavailable),
  ]
}

function deadlineFaults({ progressDeadlineSeconds, minReadySeconds = 0 }: Deployment['spec']): readonly FieldError[] {
  if (progressDeadlineSeconds === undefined) return []
  const field = 'spec.progressDeadlineSeconds'
  const late = progressDeadlineSeconds <= minReadySeconds
  return [
    ...notNegative(field, progressDeadlineSeconds),
    ...(late ? [invalidValue(field, progressDeadlineSeconds, 'must be greater than minReadySeconds')] : []),
  ]
}
