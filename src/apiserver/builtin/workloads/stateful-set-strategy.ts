import type { StatefulSet, StatefulSetSpec } from '#api/apps/v1/stateful-set.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { labelName, notNegative, oneOf } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'
import { withRollingDefaults } from './rolling-update.ts'

const retained = { whenDeleted: 'Retain', whenScaled: 'Retain' }

/** Strategy of StatefulSets: what the names and claims of its pods come from is immutable. */
export const statefulSetStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as StatefulSet),
  prepareForUpdate: (object) => withDefaults(object as StatefulSet),
  validate(object, old) {
    const { spec } = object as StatefulSet
    return [
      ...policyFaults(spec),
      ...notNegative('spec.replicas', spec.replicas),
      ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...notNegative('spec.ordinals.start', spec.ordinals?.start),
      ...(old === undefined && (spec.serviceName ?? '') !== '' ? labelName('spec.serviceName', spec.serviceName) : []),
      ...selectorFaults(spec.selector, spec.template, 'statefulset'),
      ...lastingTemplateFaults(withClaims(spec), 'StatefulSet'),
      ...(old === undefined ? [] : changeFaults(spec, (old as StatefulSet).spec)),
    ]
  },
}

function policyFaults(spec: StatefulSetSpec): readonly FieldError[] {
  const { podManagementPolicy, updateStrategy, persistentVolumeClaimRetentionPolicy: retention } = spec
  const { type, rollingUpdate } = updateStrategy ?? {}
  const isKnown = podManagementPolicy === undefined || ['OrderedReady', 'Parallel'].includes(podManagementPolicy)
  const isKnownType = type === undefined || ['RollingUpdate', 'OnDelete'].includes(type)
  const rolling = 'spec.updateStrategy.rollingUpdate'
  const policy = 'spec.persistentVolumeClaimRetentionPolicy'
  return [
    ...(isKnown ? [] : [invalidValue('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(isKnownType ? [] : [invalidValue('spec.updateStrategy', updateStrategy, "must be 'RollingUpdate' or 'OnDelete'")]),
    ...(type === 'OnDelete' && rollingUpdate !== undefined
      ? [invalidValue(rolling, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")]
      : []),
    ...notNegative(`${rolling}.partition`, rollingUpdate?.partition),
    ...oneOf(`${policy}.whenDeleted`, retention?.whenDeleted, ['Delete', 'Retain']),
    ...oneOf(`${policy}.whenScaled`, retention?.whenScaled, ['Delete', 'Retain']),
  ]
}

/**
 * The template with the volumes that its pods will have: containers mount claims by their names.
 */
function withClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): StatefulSetSpec['template'] {
  const claims = volumeClaimTemplates.map(({ metadata: { name = '' } }) => ({ name, persistentVolumeClaim: { claimName: name } }))
  if (claims.length === 0 || template.spec === undefined) return template
  const others = (template.spec.volumes ?? []).filter(({ name }) => claims.every((claim) => claim.name !== name))
  return { ...template, spec: { ...template.spec, volumes: [...claims, ...others] } }
}

function changeFaults(spec: StatefulSetSpec, old: StatefulSetSpec): readonly FieldError[] {
  if (deepEqual(fixed(spec), fixed(old))) return []
  const mutable = ['replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy']
  const names = mutable.map((name) => `'${name}'`).join(', ')
  return [forbiddenField('spec', `updates to statefulset spec for fields other than ${names} and 'minReadySeconds' are forbidden`)]
}

function fixed({ selector, volumeClaimTemplates, serviceName, podManagementPolicy }: StatefulSetSpec): unknown {
  return { selector, volumeClaimTemplates, serviceName, podManagementPolicy }
}

function withDefaults(set: StatefulSet): StatefulSet {
  const { spec } = set
  if (spec === undefined) return set
  const updateStrategy = withRollingDefaults(spec.updateStrategy, { partition: 0 })
  const persistentVolumeClaimRetentionPolicy = { ...retained, ...spec.persistentVolumeClaimRetentionPolicy }
  return {
    ...set,
    spec: { ...spec, updateStrategy, persistentVolumeClaimRetentionPolicy, template: withTemplateDefaults(spec.template) },
  }
}
