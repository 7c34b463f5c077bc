import type { ReplicationController } from '#api/core/v1/replication-controller.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative, requiredField } from '../checks/field-checks.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { lastingTemplateFaults, selectorFaults } from '../pod-spec/pod-template-rules.ts'

/** Defaults selector and labels to those of the template. */
export const replicationControllerStrategy: Strategy = {
  orphansDependents: true,
  prepareForCreate: (object) => withDefaults(object as ReplicationController),
  prepareForUpdate: (object) => withDefaults(object as ReplicationController),
  validate(object) {
    const { spec = {} } = object as ReplicationController
    const { selector = {}, template } = spec
    return [
      ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...(Object.keys(selector).length === 0 ? [requiredField('spec.selector')] : []),
      ...notNegative('spec.replicas', spec.replicas),
      ...(template === undefined ? [requiredField('spec.template')] : []),
      ...(template === undefined || Object.keys(selector).length === 0
        ? []
        : selectorFaults({ matchLabels: selector }, template, 'replicationcontroller')),
      ...lastingTemplateFaults(template, 'ReplicationController'),
    ]
  },
}

function withDefaults(controller: ReplicationController): ReplicationController {
  const { metadata, spec } = controller
  const { template } = spec ?? {}
  if (template === undefined) return controller
  const labels = template.metadata?.labels ?? {}
  const isBare = Object.keys(metadata?.labels ?? {}).length === 0 && Object.keys(labels).length > 0
  const chosen = Object.keys(spec?.selector ?? {}).length === 0 && Object.keys(labels).length > 0 ? { selector: labels } : {}
  return {
    ...controller,
    metadata: { ...metadata, ...(isBare ? { labels } : {}) },
    spec: { ...spec, ...chosen, template: withTemplateDefaults(template) },
  }
}
