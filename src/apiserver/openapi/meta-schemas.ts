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
      'What every object carries: its identity, its labels, and the history that the server keeps of it.',
      {
        name: text('Name, unique within the namespace. Cannot be changed.'),
        generateName: text('Prefix for a name that the server makes when none is given.'),
        namespace: text('Namespace of the object. Empty for cluster-wide kinds. Cannot be changed.'),
        labels: stringMap('Keys and values that selectors match.'),
        annotations: stringMap('Keys and values for tools; nothing selects by them.'),
        uid: text('Identity of this very object, also after another of the same name has followed it. Set by the server.'),
        resourceVersion: text('Version of the stored object, for optimistic concurrency and watches. Opaque. Set by the server.'),
        generation: integer('Counts changes of the desired state. Set by the server.'),
        creationTimestamp: time('When the object was created. Set by the server.'),
        deletionTimestamp: time('When the object is to vanish; set by the server once deletion was asked for.'),
        deletionGracePeriodSeconds: integer('Seconds that the object is given to end gracefully. Set by the server.'),
        finalizers: {
          ...strings('Who has to agree before the object may vanish.'),
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        ownerReferences: {
          type: 'array',
          description: 'Objects that this one depends on. When all are gone, it is deleted too.',
          items: { $ref: metaSchemaNames.ownerReference },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['uid'],
          'x-kubernetes-patch-merge-key': 'uid',
          'x-kubernetes-patch-strategy': 'merge',
        },
        managedFields: {
          type: 'array',
          description: 'Who has set which fields. Kept by the server.',
          items: { $ref: metaSchemaNames.managedFields },
          'x-kubernetes-list-type': 'atomic',
        },
        selfLink: text('No longer used.'),
      },
    ),
    [metaSchemaNames.ownerReference]: object(
      'Points to an owner in the same namespace, or to a cluster-wide one.',
      {
        apiVersion: text('API version of the owner.'),
        kind: text('Kind of the owner.'),
        name: text('Name of the manager.'),
        uid: text('UID of the owner.'),
        controller: flag('Whether this owner manages the object.'),
        blockOwnerDeletion: flag('Whether foreground deletion of the owner waits for this object.'),
      },
      ['apiVersion', 'kind', 'name', 'uid'],
    ),
    [metaSchemaNames.managedFields]: object('Set of fields that a manager owns.', {
      manager: text('Name of the manager.'),
      operation: text('Apply or Update.'),
      apiVersion: text('Version in which the fields are named.'),
      time: time('Time of the last change of the set.'),
      fieldsType: text('FieldsV1.'),
      fieldsV1: { type: 'object', description: 'The fields, as a tree.' },
      subresource: text('Subresource through which the fields were written.'),
    }),
    [metaSchemaNames.listMeta]: object('Metadata of a list.', {
      resourceVersion: text('Version of the state that the list shows; a watch can start from it.'),
      continue: text('Token for the next page. Empty on the last one.'),
      remainingItemCount: integer('Number of objects on later pages, when known.'),
      selfLink: text('No longer used.'),
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
