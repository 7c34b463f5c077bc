import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative } from '../checks/field-checks.ts'
import { immutableSelector } from '../checks/go-values.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'

/** Strategy of ReplicaSets: the selector is immutable. */
export const replicaSetStrategy: Strategy = {
  prepareForCreate: (object) => withDefaults(object as ReplicaSet),
  prepareForUpdate: (object) => withDefaults(object as ReplicaSet),
  validate(object, old) {
    const { spec } = object as ReplicaSet
    return [
      ...notNegative('spec.replicas', spec.replicas),
      ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...selectorFaults(spec.selector, spec.template, 'replicaset'),
      ...lastingTemplateFaults(spec.template, 'ReplicaSet'),
      ...(old === undefined ? [] : immutableSelector(spec.selector, (old as ReplicaSet).spec.selector)),
    ]
  },
}

function withDefaults(replicaSet: ReplicaSet): ReplicaSet {
  const { template } = replicaSet.spec ?? {}
  if (template === undefined) return replicaSet
  return { ...replicaSet, spec: { ...replicaSet.spec, template: withTemplateDefaults(template) } }
}
