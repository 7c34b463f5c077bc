import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { PublishedSchema } from './meta-schemas.ts'
import { metaSchemaNames, schemaName } from './schema-names.ts'

const apiVersionProperty: PublishedSchema = { type: 'string', description: 'Group and version of the schema that the object follows.' }
const kindProperty: PublishedSchema = { type: 'string', description: 'Kind of the object.' }

/** Group, version and kind of a resource, as extensions carry them. */
export function groupVersionKind({ group, version, kind }: Pick<ResourceDefinition, 'group' | 'version' | 'kind'>): object {
  return { group, version, kind }
}

/** Schemas of a resource's kind and of its list. References are bare names. */
export function kindSchemas(definition: ResourceDefinition): Readonly<Record<string, PublishedSchema>> {
  const name = schemaName(definition, definition.kind)
  const { properties = {}, ...schema } = definition.schema
  const scope = [groupVersionKind(definition)]
  return {
    [name]: {
      ...schema,
      type: 'object',
      properties: {
        ...properties,
        apiVersion: apiVersionProperty,
        kind: kindProperty,
        metadata: { $ref: metaSchemaNames.objectMeta, description: 'Standard metadata of the object.' },
      },
      'x-kubernetes-group-version-kind': scope,
    },
    [schemaName(definition, definition.listKind)]: {
      type: 'object',
      description: `A list of ${definition.kind} objects of ${apiVersionOf(definition)}.`,
      required: ['items'],
      properties: {
        apiVersion: apiVersionProperty,
        kind: kindProperty,
        metadata: { $ref: metaSchemaNames.listMeta, description: 'Standard metadata of the list.' },
        items: { type: 'array', description: `The ${definition.kind} objects.`, items: { $ref: name } },
      },
      'x-kubernetes-group-version-kind': [{ ...groupVersionKind(definition), kind: definition.listKind }],
    },
  }
}
