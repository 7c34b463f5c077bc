import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { ServiceAccount } from '#api/core/v1/service-account.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import * as core from '#api/core/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource, type ResourceDraft } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { replicationControllerDefinitions } from './replication-controller.ts'
import { claimStrategy } from './claim-strategy.ts'
import { eventColumns, eventFields } from '../events/event-columns.ts'
import { configMapStrategy, secretStrategy } from './immutable-data.ts'
import { namespaceStrategy } from './namespace-strategy.ts'
import { endpointsColumns, serviceColumns } from './network-columns.ts'
import { nodeColumns } from './node-columns.ts'
import { podColumns } from './pod-columns.ts'
import { podStrategy } from './pod-strategy.ts'
import { resourceLimitDefinitions } from './resource-limits.ts'
import { serviceStrategy } from './service-strategy.ts'
import { claimColumns, volumeColumns } from '../storage/storage-columns.ts'
import { volumeStrategy } from './volume-strategy.ts'

function define(draft: ResourceDraft): ResourceDefinition {
  return defineResource({ ...draft, schema: schemaOf(draft) })
}

const proxyVerbs = ['create', 'delete', 'get', 'patch', 'update'] as const

function namespaceDefinition(): ResourceDefinition {
  const column = columnsOf<Namespace>()
  return define({
    ...core.namespaces,
    shortNames: ['ns'],
    nameKind: 'dns-label',
    // Without deletecollection: one mistyped command must not delete all namespaces.
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    hasStatus: true,
    deleteReturnsObject: true,
    columns: [nameColumn, column('Status', ({ status }) => status?.phase ?? ''), ageColumn],
    selectableFields: new Map([['status.phase', (object) => (object as Namespace).status?.phase ?? '']]),
    strategy: namespaceStrategy,
    extraSubresources: [{ name: 'finalize', kind: 'Namespace', group: '', version: 'v1', verbs: ['update'] }],
  })
}

const podFields: ReadonlyMap<string, (object: object) => string> = new Map([
  ['spec.nodeName', (object) => (object as Pod).spec?.nodeName ?? ''],
  ['spec.restartPolicy', (object) => (object as Pod).spec?.restartPolicy ?? ''],
  ['spec.schedulerName', (object) => (object as Pod).spec?.schedulerName ?? ''],
  ['spec.serviceAccountName', (object) => (object as Pod).spec?.serviceAccountName ?? ''],
  ['spec.hostNetwork', (object) => String((object as Pod).spec?.hostNetwork ?? false)],
  ['status.phase', (object) => (object as Pod).status?.phase ?? ''],
  ['status.podIP', (object) => (object as Pod).status?.podIP ?? ''],
  ['status.podIPs', (object) => (object as Pod).status?.podIP ?? ''],
  ['status.nominatedNodeName', (object) => (object as Pod).status?.nominatedNodeName ?? ''],
])

function podDefinition(): ResourceDefinition {
  return define({
    ...core.pods,
    shortNames: ['po'],
    categories: ['all'],
    hasStatus: true,
    hasGeneration: true,
    deleteReturnsObject: true,
    columns: podColumns,
    selectableFields: podFields,
    strategy: podStrategy,
    extraSubresources: [
      { name: 'binding', kind: 'Binding', group: '', version: 'v1', verbs: ['create'] },
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'log', kind: 'Pod', group: '', version: 'v1', verbs: ['get'] },
      { name: 'attach', kind: 'PodAttachOptions', group: '', version: 'v1', verbs: ['create', 'get'] },
      { name: 'exec', kind: 'PodExecOptions', group: '', version: 'v1', verbs: ['create', 'get'] },
      { name: 'portforward', kind: 'PodPortForwardOptions', group: '', version: 'v1', verbs: ['create', 'get'] },
      { name: 'resize', kind: 'Pod', group: '', version: 'v1', verbs: ['get', 'patch', 'update'] },
      { name: 'proxy', kind: 'PodProxyOptions', group: '', version: 'v1', verbs: proxyVerbs },
    ],
  })
}

function nodeDefinition(): ResourceDefinition {
  return define({
    ...core.nodes,
    shortNames: ['no'],
    hasStatus: true,
    columns: nodeColumns,
    selectableFields: new Map([['spec.unschedulable', (object) => String((object as Node).spec?.unschedulable ?? false)]]),
    strategy: { keepsStatusOnCreate: true },
  })
}

function dataDefinitions(): ResourceDefinition[] {
  const configMap = columnsOf<ConfigMap>()
  const secret = columnsOf<Secret>()
  const account = columnsOf<ServiceAccount>()
  const sizeOf = (...maps: (object | null | undefined)[]): number => maps.reduce((sum, map) => sum + Object.keys(map ?? {}).length, 0)
  const integer = { type: 'integer' } as const
  return [
    define({
      ...core.configMaps,
      shortNames: ['cm'],
      columns: [nameColumn, configMap('Data', ({ data, binaryData }) => sizeOf(data, binaryData), integer), ageColumn],
      strategy: configMapStrategy,
    }),
    define({
      ...core.secrets,
      columns: [nameColumn, secret('Type', ({ type }) => type ?? ''), secret('Data', ({ data }) => sizeOf(data), integer), ageColumn],
      selectableFields: new Map([['type', (object) => (object as Secret).type ?? '']]),
      strategy: secretStrategy,
    }),
    define({
      ...core.serviceAccounts,
      shortNames: ['sa'],
      deleteReturnsObject: true,
      columns: [nameColumn, account('Secrets', ({ secrets }) => (secrets ?? []).length, integer), ageColumn],
      extraSubresources: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
    }),
  ]
}

function networkDefinitions(): ResourceDefinition[] {
  return [
    define({
      ...core.services,
      shortNames: ['svc'],
      categories: ['all'],
      nameKind: 'dns-label',
      hasStatus: true,
      deleteReturnsObject: true,
      columns: serviceColumns,
      selectableFields: new Map([
        ['spec.clusterIP', (object) => (object as Service).spec?.clusterIP ?? ''],
        ['spec.type', (object) => (object as Service).spec?.type ?? ''],
      ]),
      strategy: serviceStrategy,
      extraSubresources: [{ name: 'proxy', kind: 'ServiceProxyOptions', group: '', version: 'v1', verbs: proxyVerbs }],
    }),
    define({
      ...core.endpoints,
      shortNames: ['ep'],
      columns: endpointsColumns,
      deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    }),
  ]
}

function volumeDefinitions(): ResourceDefinition[] {
  return [
    define({
      ...core.persistentVolumeClaims,
      shortNames: ['pvc'],
      hasStatus: true,
      deleteReturnsObject: true,
      columns: claimColumns,
      strategy: claimStrategy,
    }),
    define({
      ...core.persistentVolumes,
      shortNames: ['pv'],
      hasStatus: true,
      deleteReturnsObject: true,
      columns: volumeColumns,
      strategy: volumeStrategy,
    }),
  ]
}

/** Resources of the core group, `/api/v1`. */
export function coreDefinitions(): ResourceDefinition[] {
  return [
    namespaceDefinition(),
    podDefinition(),
    nodeDefinition(),
    ...dataDefinitions(),
    ...networkDefinitions(),
    ...volumeDefinitions(),
    ...resourceLimitDefinitions(),
    ...replicationControllerDefinitions(),
    define({ ...core.events, shortNames: ['ev'], columns: eventColumns, selectableFields: eventFields }),
  ]
}
