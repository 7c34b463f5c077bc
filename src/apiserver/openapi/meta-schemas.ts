import { metaSchemaNames } from './schema-names.ts'

/** A schema of an OpenAPI document. `$ref` is a bare name. */
export type PublishedSchema = Readonly<Record<string, unknown>>

const text = (description: string): PublishedSchema => ({ type: 'string', description })
const time = (description: string): PublishedSchema => ({ type: 'string', format: 'date-time', description })
const integer = (description: string): PublishedSchema => ({ type: 'integer', format: 'int64', description })
const flag = (description: string): PublishedSchema => ({ type: 'boolean', description })
const object = (description: string, properties: Record<string, PublishedSchema>, required?: readonly string[]): PublishedSchema => ({
  type: 'object',
  description,
  properties,
  ...(required === undefined ? {} : { required }),
})
const strings = (description: string): PublishedSchema => ({ type: 'array', description, items: { type: 'string' } })
const stringMap = (description: string): PublishedSchema => ({ type: 'object', description, additionalProperties: { type: 'string' } })

/** Returns the schemas shared by all kinds. */
export function metaSchemas(): Readonly<Record<string, PublishedSchema>> {
  return {
    [metaSchemaNames.objectMeta]: object(
      'Metadata that objects of all kinds have: names, labels, owners, and what the server records about them.',
      {
        name: text('Name of the object, unique among the objects of its kind in the namespace. Cannot be changed.'),
        generateName: text('Prefix of the name that the server generates when no name is given.'),
        namespace: text('Namespace of the object; empty for cluster-scoped kinds. Cannot be changed.'),
        labels: stringMap('Keys and values by which selectors find the object.'),
        annotations: stringMap('Keys and values for tools and people. Selectors ignore them.'),
        uid: text('Unique ID of the object. An object that is created again under the same name has another one. Set by the server.'),
        resourceVersion: text(
          'Version of the stored object. Clients pass it back unchanged to detect concurrent changes, or to start a watch. Set by the server.',
        ),
        generation: integer('Number that increases with each change of the desired state. Set by the server.'),
        creationTimestamp: time('CreationTimestamp is a timestamp of when the server created the object, in UTC. Set by the server.'),
        deletionTimestamp: time(
          'Time after which the object is removed, once its finalizers are gone. Set by the server when a client deletes the object.',
        ),
        deletionGracePeriodSeconds: integer('Seconds between the deletion request and the removal of the object. Set by the server.'),
        finalizers: {
          ...strings('Identifiers of the components that must finish their clean-up before a deleted object is removed.'),
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        ownerReferences: {
          type: 'array',
          description: 'Objects that this object depends on. It is deleted when none of them exists any more.',
          items: { $ref: metaSchemaNames.ownerReference },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['uid'],
          'x-kubernetes-patch-merge-key': 'uid',
          'x-kubernetes-patch-strategy': 'merge',
        },
        managedFields: {
          type: 'array',
          description: 'Fields that each client or controller has set. Maintained by the server, for server-side apply.',
          items: { $ref: metaSchemaNames.managedFields },
          'x-kubernetes-list-type': 'atomic',
        },
        selfLink: text('Deprecated: the server does not set it.'),
      },
    ),
    [metaSchemaNames.ownerReference]: object(
      'Reference to an owner, which is in the same namespace or cluster-scoped.',
      {
        apiVersion: text('API version of the owner.'),
        kind: text('Kind of the owner.'),
        name: text('Name of the owner.'),
        uid: text('UID of the owner.'),
        controller: flag('Whether this owner is the controller that manages the object.'),
        blockOwnerDeletion: flag('Whether a foreground deletion of the owner waits until this object is deleted.'),
      },
      ['apiVersion', 'kind', 'name', 'uid'],
    ),
    [metaSchemaNames.managedFields]: object('Fields that one manager has set by one kind of request.', {
      manager: text('Name of the client or controller.'),
      operation: text('Kind of the requests: Apply or Update.'),
      apiVersion: text('API version to which the names of the fields belong.'),
      time: time('Time when the manager last added a field, changed one or gave one up.'),
      fieldsType: text('Format of fieldsV1: FieldsV1.'),
      fieldsV1: { type: 'object', description: 'Names of the fields, as a tree.' },
      subresource: text('Subresource of the requests; empty for the object itself.'),
    }),
    [metaSchemaNames.listMeta]: object('Metadata of a list.', {
      resourceVersion: text('Version of the state that the list shows. A watch can start from it. Set by the server.'),
      continue: text('Token for the request of the next page; empty on the last page.'),
      remainingItemCount: integer('Number of objects on the pages that follow, if the server knows it.'),
      selfLink: text('Deprecated: the server does not set it.'),
    }),
    [metaSchemaNames.status]: {
      ...object('Result of a request that returns no object.', {
        apiVersion: text('v1'),
        kind: text('Status'),
        metadata: { $ref: metaSchemaNames.listMeta },
        status: text('Success or Failure.'),
        message: text('Human-readable description of the result.'),
        reason: text('Machine-readable reason, as one CamelCase word.'),
        details: { type: 'object', description: 'Object and causes that the result refers to.' },
        code: { type: 'integer', format: 'int32', description: 'HTTP status code.' },
      }),
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Status' }],
    },
    [metaSchemaNames.deleteOptions]: object('Options of a deletion.', {
      apiVersion: text('v1'),
      kind: text('DeleteOptions'),
      gracePeriodSeconds: integer('Seconds between the request and the deletion of the object.'),
      propagationPolicy: text('Deletion of dependents: Orphan, Background or Foreground.'),
      orphanDependents: flag('No longer used: see propagationPolicy.'),
      preconditions: object('Preconditions of the deletion.', {
        uid: text('UID of the object.'),
        resourceVersion: text('Resource version of the object.'),
      }),
      dryRun: strings('All: nothing is stored.'),
    }),
    [metaSchemaNames.patch]: { type: 'object', description: 'Patch of an object.' },
  }
}
