import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { groupVersionKind } from './kind-schemas.ts'
import { metaSchemaNames, schemaName } from './schema-names.ts'

/** A query parameter of an operation. */
export interface QueryParameter {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
}

/** An operation, independent of the document's version. */
export interface PublishedOperation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch'
  readonly id: string
  readonly description: string
  /** Value of `x-kubernetes-action`. */
  readonly action: string
  readonly groupVersionKind: object
  readonly query: readonly QueryParameter[]
  readonly requestTypes: readonly string[]
  /** Schema name of the body. */
  readonly request: string | undefined
  /** Schema name of the answer. */
  readonly answer: string
}

/** A path with its parameters. */
export interface PublishedPath {
  readonly path: string
  readonly pathParameters: readonly ('namespace' | 'name')[]
  readonly operations: readonly PublishedOperation[]
}

const parameter = (name: string, type: QueryParameter['type'], description: string): QueryParameter => ({ name, type, description })
const selection: readonly QueryParameter[] = [
  parameter('labelSelector', 'string', 'Only objects with matching labels.'),
  parameter('fieldSelector', 'string', 'Only objects with matching fields.'),
]
const listing: readonly QueryParameter[] = [
  ...selection,
  parameter('limit', 'integer', 'Objects per page.'),
  parameter('continue', 'string', 'Token of the next page.'),
  parameter('resourceVersion', 'string', 'Version to read, or to watch from.'),
  parameter('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  parameter('timeoutSeconds', 'integer', 'When the request ends.'),
  parameter('watch', 'boolean', 'Stream changes.'),
  parameter('allowWatchBookmarks', 'boolean', 'Send bookmarks in a watch.'),
  parameter('sendInitialEvents', 'boolean', 'Begin a watch with the present state.'),
]
const mutating: readonly QueryParameter[] = [
  parameter('dryRun', 'string', 'All: change nothing.'),
  parameter('fieldManager', 'string', 'Who is recorded as the owner of the fields.'),
  parameter('fieldValidation', 'string', 'What happens to unknown and repeated fields: Ignore, Warn or Strict.'),
]
const patching: readonly QueryParameter[] = [
  ...mutating,
  parameter('force', 'boolean', 'Take fields over from other managers in an apply patch.'),
]
const deleting: readonly QueryParameter[] = [
  parameter('dryRun', 'string', 'All: change nothing.'),
  parameter('gracePeriodSeconds', 'integer', 'Seconds that the object is given to end gracefully.'),
  parameter('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
]
const bodyTypes = ['application/json', 'application/yaml']
const patchBodyTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function operationBase(definition: ResourceDefinition): string {
  const group =
    definition.group === '' ? 'Core' : capitalised(definition.group.replace(/\.(.)/g, (_match, letter: string) => letter.toUpperCase()))
  return `${group}${capitalised(definition.version)}${definition.namespaced ? 'Namespaced' : ''}${definition.kind}`
}

/** Returns the paths of a resource with the parameters that tools check. */
export function publishedPaths(definition: ResourceDefinition): readonly PublishedPath[] {
  const { group, version, plural, namespaced, kind } = definition
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const collection = namespaced ? `${prefix}/namespaces/{namespace}/${plural}` : `${prefix}/${plural}`
  const namespace = namespaced ? (['namespace'] as const) : []
  const name = schemaName(definition, kind)
  const listName = schemaName(definition, definition.listKind)
  const base = operationBase(definition)
  const patchTypes = definition.custom ? patchBodyTypes : [...patchBodyTypes, 'application/strategic-merge-patch+json']
  const common = { groupVersionKind: groupVersionKind(definition), request: undefined, requestTypes: [], answer: name }
  const verbs: readonly string[] = definition.verbs

  const onObject = (suffix: string, what: string): readonly PublishedOperation[] => [
    { ...common, method: 'get', id: `read${base}${suffix}`, action: 'get', description: `read ${what}`, query: [] },
    {
      ...common,
      method: 'put',
      id: `replace${base}${suffix}`,
      action: 'put',
      description: `replace ${what}`,
      query: mutating,
      request: name,
      requestTypes: bodyTypes,
    },
    {
      ...common,
      method: 'patch',
      id: `patch${base}${suffix}`,
      action: 'patch',
      description: `change ${what}`,
      query: patching,
      request: metaSchemaNames.patch,
      requestTypes: patchTypes,
    },
  ]
  const has =
    (verb: string) =>
    (operation: PublishedOperation): boolean =>
      verb !== operation.action || verbs.includes(verb)
  const onCollection: readonly PublishedOperation[] = [
    {
      ...common,
      method: 'get',
      id: `list${base}`,
      action: 'list',
      description: `list or watch ${kind} objects`,
      query: listing,
      answer: listName,
    },
    {
      ...common,
      method: 'post',
      id: `create${base}`,
      action: 'post',
      description: `create a ${kind}`,
      query: mutating,
      request: name,
      requestTypes: bodyTypes,
    },
    {
      ...common,
      method: 'delete',
      id: `deleteCollection${base}`,
      action: 'deletecollection',
      description: `delete ${kind} objects`,
      query: [...selection, ...deleting],
      request: metaSchemaNames.deleteOptions,
      requestTypes: bodyTypes,
      answer: metaSchemaNames.status,
    },
  ]
  const deletion: PublishedOperation = {
    ...common,
    method: 'delete',
    id: `delete${base}`,
    action: 'delete',
    description: `delete a ${kind}`,
    query: deleting,
    request: metaSchemaNames.deleteOptions,
    requestTypes: bodyTypes,
    answer: metaSchemaNames.status,
  }
  const everywhere: readonly PublishedPath[] = namespaced
    ? [
        {
          path: `${prefix}/${plural}`,
          pathParameters: [],
          operations: [
            {
              ...common,
              method: 'get',
              id: `list${base.replace('Namespaced', '')}ForAllNamespaces`,
              action: 'list',
              description: `list or watch ${kind} objects of all namespaces`,
              query: listing,
              answer: listName,
            },
          ],
        },
      ]
    : []
  return [
    { path: collection, pathParameters: namespace, operations: onCollection.filter(has('list')).filter(has('deletecollection')) },
    { path: `${collection}/{name}`, pathParameters: [...namespace, 'name'], operations: [...onObject('', `a ${kind}`), deletion] },
    ...(definition.hasStatus
      ? [
          {
            path: `${collection}/{name}/status`,
            pathParameters: [...namespace, 'name'] as const,
            operations: onObject('Status', `the status of a ${kind}`),
          },
        ]
      : []),
    ...everywhere,
  ]
}
