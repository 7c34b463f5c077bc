import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative, oneOf, requiredField } from '../checks/field-checks.ts'
import { immutableSelector } from '../checks/go-values.ts'
import { intOrPercentFaults, isZero, overHundredFaults } from '../checks/int-or-percent.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'
import { withRollingDefaults } from './rolling-update.ts'

/**
 * Strategy of DaemonSets: the selector is immutable; maxSurge and maxUnavailable exclude each
 * other.
 */
export const daemonSetStrategy: Strategy = {
  prepareForCreate: (object) => withTemplateGeneration(withDefaults(object as DaemonSet), 1),
  prepareForUpdate: (object, old) => withNextTemplateGeneration(withDefaults(object as DaemonSet), old as DaemonSet),
  validate(object, old) {
    const { spec } = object as DaemonSet
    return [
      ...selectorFaults(spec.selector, spec.template, 'daemonset'),
      ...lastingTemplateFaults(spec.template, 'DaemonSet'),
      ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...rolloutFaults(spec),
      ...(old === undefined ? [] : immutableSelector(spec.selector, (old as DaemonSet).spec.selector)),
    ]
  },
}

function withDefaults(daemonSet: DaemonSet): DaemonSet {
  const { spec } = daemonSet
  if (spec === undefined) return daemonSet
  const updateStrategy = withRollingDefaults(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 })
  return {
    ...daemonSet,
    spec: { ...spec, updateStrategy, template: withTemplateDefaults(spec.template) },
  }
}

/** Generation of the pod template, which older clients read. */
const templateGenerationAnnotation = 'deprecated.daemonset.template.generation'

function withTemplateGeneration(daemonSet: DaemonSet, generation: number): DaemonSet {
  const { metadata } = daemonSet
  const annotations = { ...metadata?.annotations, [templateGenerationAnnotation]: String(generation) }
  return { ...daemonSet, metadata: { ...metadata, annotations } }
}

/** Keeps the old value, and increments it with each change of the template. */
function withNextTemplateGeneration(daemonSet: DaemonSet, old: DaemonSet): DaemonSet {
  const before = Number(old.metadata.annotations?.[templateGenerationAnnotation] ?? 1) || 1
  return withTemplateGeneration(daemonSet, deepEqual(daemonSet.spec?.template, old.spec?.template) ? before : before + 1)
}

function rolloutFaults({ updateStrategy }: DaemonSet['spec']): readonly FieldError[] {
  const field = 'spec.updateStrategy.rollingUpdate'
  const { type = 'RollingUpdate', rollingUpdate } = updateStrategy ?? {}
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') return oneOf('spec.updateStrategy.type', type, ['RollingUpdate', 'OnDelete'])
  if (rollingUpdate === undefined) return [requiredField(field)]
  const { maxUnavailable, maxSurge } = rollingUpdate
  return [
    ...intOrPercentFaults(`${field}.maxUnavailable`, maxUnavailable),
    ...intOrPercentFaults(`${field}.maxSurge`, maxSurge),
    ...overHundredFaults(`${field}.maxUnavailable`, maxUnavailable),
    ...overHundredFaults(`${field}.maxSurge`, maxSurge),
    ...exclusiveFaults(field, isZero(maxUnavailable), isZero(maxSurge), rollingUpdate),
  ]
}

function exclusiveFaults(
  field: string,
  noneMissing: boolean,
  noneDouble: boolean,
  { maxUnavailable, maxSurge }: { maxUnavailable?: string | number; maxSurge?: string | number },
): readonly FieldError[] {
  if (noneMissing && noneDouble) return [requiredField(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
  if (noneMissing || noneDouble || maxUnavailable === undefined) return []
  return [invalidValue(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
}
