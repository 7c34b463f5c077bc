import type { PodTemplate, ReplicationController } from '#api/core/v1/replication-controller.ts'
import { podTemplates, replicationControllers } from '#api/core/v1/resources.ts'
import { ageColumn, columnsOf, labelText, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, TableColumn } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { withTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { replicationControllerStrategy } from './replication-controller-strategy.ts'
import { containerColumns } from '../workloads/workload-columns.ts'

const column = columnsOf<ReplicationController>()
const template = columnsOf<PodTemplate>()
const count = (name: string, cell: (object: ReplicationController) => number): TableColumn => column(name, cell, { type: 'integer' })

function withPodDefaults(object: PodTemplate): PodTemplate {
  return object.template === undefined ? object : { ...object, template: withTemplateDefaults(object.template) }
}

/** ReplicationController and PodTemplate. */
export function replicationControllerDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...replicationControllers,
      shortNames: ['rc'],
      categories: ['all'],
      schema: schemaOf(replicationControllers),
      hasStatus: true,
      hasGeneration: true,
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.spec.selector' },
      columns: [
        nameColumn,
        count('Desired', ({ spec }) => spec?.replicas ?? 1),
        count('Current', ({ status }) => status?.replicas ?? 0),
        count('Ready', ({ status }) => status?.readyReplicas ?? 0),
        ageColumn,
        ...containerColumns,
        column('Selector', ({ spec }) => labelText(spec?.selector), { priority: 1 }),
      ],
      strategy: replicationControllerStrategy,
    }),
    defineResource({
      ...podTemplates,
      schema: schemaOf(podTemplates),
      hasGeneration: true,
      columns: [
        nameColumn,
        template('Containers', (object) => (object.template?.spec?.containers ?? []).map(({ name }) => name).join(',')),
        template('Images', (object) => (object.template?.spec?.containers ?? []).map(({ image }) => image ?? '').join(',')),
        template('Pod Labels', (object) => labelText(object.template?.metadata?.labels)),
      ],
      strategy: {
        prepareForCreate: (object) => withPodDefaults(object as PodTemplate),
        prepareForUpdate: (object) => withPodDefaults(object as PodTemplate),
      },
    }),
  ]
}
