import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative } from '../checks/field-checks.ts'
import { immutableField } from '../checks/immutable-field.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'
import { storedOnly } from '../stored-only.ts'
import { withRollingDefaults } from './rolling-update.ts'

/** Strategy of StatefulSets, which have no controller here. */
export const statefulSetStrategy: Strategy = {
  ...storedOnly('StatefulSet', 'it gets no pods; use a Deployment'),
  prepareForCreate: (object) => withDefaults(object as StatefulSet),
  prepareForUpdate: (object) => withDefaults(object as StatefulSet),
  validate(object, old) {
    const { spec } = object as StatefulSet
    return [
      ...(old === undefined ? [] : immutableField('spec.selector', spec.selector, (old as StatefulSet).spec.selector)),
      ...notNegative('spec.replicas', spec.replicas),
      ...selectorFaults(spec.selector, spec.template, 'statefulset'),
      ...lastingTemplateFaults(spec.template, 'StatefulSet'),
    ]
  },
}

function withDefaults(set: StatefulSet): StatefulSet {
  if (set.spec === undefined) return set
  const updateStrategy = withRollingDefaults(set.spec.updateStrategy, { partition: 0 })
  return { ...set, spec: { ...set.spec, updateStrategy, template: withTemplateDefaults(set.spec.template) } }
}
