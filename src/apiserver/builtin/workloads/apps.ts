import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import * as apps from '#api/apps/v1/resources.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { ageColumn, type Cell, columnsOf, labelText, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, TableColumn } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { daemonSetStrategy } from './daemon-set-strategy.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { immutableField } from '../checks/immutable-field.ts'
import { replicaSetStrategy } from './replica-set-strategy.ts'
import { statefulSetStrategy } from './stateful-set-strategy.ts'
import { containerColumns, selectorColumn } from './workload-columns.ts'

function define(draft: ResourceDraft): ResourceDefinition {
  return defineResource({ ...draft, schema: schemaOf(draft) })
}

const integer = { type: 'integer' } as const

function revisionDefinition(): ResourceDefinition {
  const column = columnsOf<ControllerRevision>()
  return define({
    ...apps.controllerRevisions,
    columns: [nameColumn, column('Controller', controllerColumn), column('Revision', ({ revision }) => revision, integer), ageColumn],
    strategy: {
      validate: (object, old) =>
        old === undefined ? [] : immutableField('data', (object as ControllerRevision).data, (old as ControllerRevision).data),
    },
  })
}

function controllerColumn(revision: ControllerRevision): string {
  const owner = controllerOf(revision)
  if (owner === undefined) return '<none>'
  const slash = owner.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`
}

/** Properties common to workloads. */
const workload = { categories: ['all'], hasStatus: true, hasGeneration: true } as const
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.spec.selector' }

function deploymentDefinition(): ResourceDefinition {
  const column = columnsOf<Deployment>()
  return define({
    ...apps.deployments,
    shortNames: ['deploy'],
    ...workload,
    scale,
    columns: [
      nameColumn,
      column('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`),
      column('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0, integer),
      column('Available', ({ status }) => status?.availableReplicas ?? 0, integer),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    strategy: deploymentStrategy,
  })
}

function replicaSetDefinition(): ResourceDefinition {
  const column = columnsOf<ReplicaSet>()
  const count = (name: string, cell: (object: ReplicaSet) => Cell): TableColumn => column(name, cell, integer)
  return define({
    ...apps.replicaSets,
    shortNames: ['rs'],
    ...workload,
    scale,
    columns: [
      nameColumn,
      count('Desired', ({ spec }) => spec.replicas ?? 1),
      count('Current', ({ status }) => status?.replicas ?? 0),
      count('Ready', ({ status }) => status?.readyReplicas ?? 0),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    selectableFields: new Map([['status.replicas', (object) => String((object as ReplicaSet).status?.replicas ?? 0)]]),
    strategy: replicaSetStrategy,
  })
}

function daemonSetDefinition(): ResourceDefinition {
  const column = columnsOf<DaemonSet>()
  const count = (name: string, cell: (object: DaemonSet) => Cell): TableColumn => column(name, cell, integer)
  return define({
    ...apps.daemonSets,
    shortNames: ['ds'],
    ...workload,
    columns: [
      nameColumn,
      count('Desired', ({ status }) => status?.desiredNumberScheduled ?? 0),
      count('Current', ({ status }) => status?.currentNumberScheduled ?? 0),
      count('Ready', ({ status }) => status?.numberReady ?? 0),
      count('Up-to-date', ({ status }) => status?.updatedNumberScheduled ?? 0),
      count('Available', ({ status }) => status?.numberAvailable ?? 0),
      column('Node Selector', ({ spec }) => labelText(spec.template?.spec?.nodeSelector)),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    strategy: daemonSetStrategy,
  })
}

function statefulSetDefinition(): ResourceDefinition {
  const column = columnsOf<StatefulSet>()
  return define({
    ...apps.statefulSets,
    shortNames: ['sts'],
    ...workload,
    scale,
    columns: [
      nameColumn,
      column('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`),
      ageColumn,
      ...containerColumns,
    ],
    strategy: statefulSetStrategy,
  })
}

/** Resources of `apps/v1`. */
export function appsDefinitions(): ResourceDefinition[] {
  return [revisionDefinition(), deploymentDefinition(), replicaSetDefinition(), daemonSetDefinition(), statefulSetDefinition()]
}
