import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { PublishedSchema } from './meta-schemas.ts'
import { metaSchemaNames, schemaName } from './schema-names.ts'

// Kubernetes' end-to-end tests search the output of kubectl explain for the first words of these
// texts, and of that of creationTimestamp.
const apiVersionProperty: PublishedSchema = {
  type: 'string',
  description: 'APIVersion defines which API group, in which version, the fields of the object belong to.',
}
const kindProperty: PublishedSchema = { type: 'string', description: 'Kind names the type of the object, in CamelCase. Cannot be changed.' }
const metadataProperty: PublishedSchema = { $ref: metaSchemaNames.objectMeta, description: "Standard object's metadata." }

/** Group, version and kind for schema extensions. */
export function groupVersionKind({ group, version, kind }: Pick<ResourceDefinition, 'group' | 'version' | 'kind'>): object {
  return { group, version, kind }
}

/** Returns the schemas of a kind and its list. References are bare names. */
export function kindSchemas(definition: ResourceDefinition): Readonly<Record<string, PublishedSchema>> {
  const name = schemaName(definition, definition.kind)
  const { properties = {}, ...schema } = (definition.custom ? withEmbedded({ ...definition.schema }) : definition.schema) as {
    properties?: Record<string, PublishedSchema>
  }
  const scope = [groupVersionKind(definition)]
  const selectable = selectableFields(definition)
  return {
    [name]: {
      ...schema,
      type: 'object',
      properties: {
        ...properties,
        apiVersion: apiVersionProperty,
        kind: kindProperty,
        metadata: metadataProperty,
      },
      'x-kubernetes-group-version-kind': scope,
      ...selectable,
    },
    [schemaName(definition, definition.listKind)]: {
      type: 'object',
      description: `A list of ${definition.kind} objects of ${apiVersionOf(definition)}.`,
      required: ['items'],
      properties: {
        apiVersion: apiVersionProperty,
        kind: kindProperty,
        metadata: { $ref: metaSchemaNames.listMeta, description: "Standard list's metadata." },
        items: { type: 'array', description: `The ${definition.kind} objects.`, items: { $ref: name } },
      },
      'x-kubernetes-group-version-kind': [{ ...groupVersionKind(definition), kind: definition.listKind }],
      ...selectable,
    },
  }
}

/** Lists the selectable fields for tools. */
function selectableFields({ custom, selectableFields: fields }: ResourceDefinition): PublishedSchema {
  if (!custom || fields.size === 0) return {}
  return { 'x-kubernetes-selectable-fields': [...fields.keys()].map((fieldPath) => ({ fieldPath })) }
}

const typeNames: readonly string[] = ['kind', 'apiVersion']

/** Adds the common fields to embedded resources, which definitions may omit. */
function withEmbedded(schema: PublishedSchema): PublishedSchema {
  const { properties, items, additionalProperties } = schema
  const result: Record<string, unknown> = { ...schema }
  if (isJsonObject(properties)) {
    const inner: Record<string, unknown> = {}
    for (const [key, property] of Object.entries(properties)) setOwnInto(inner, key, withEmbedded(property as PublishedSchema))
    result['properties'] = inner
  }
  if (isJsonObject(items)) result['items'] = withEmbedded(items)
  if (isJsonObject(additionalProperties)) result['additionalProperties'] = withEmbedded(additionalProperties)
  if (schema['x-kubernetes-embedded-resource'] !== true) return result
  const required = (schema['required'] ?? []) as readonly string[]
  return {
    ...result,
    properties: {
      ...(result['properties'] as object | undefined),
      apiVersion: apiVersionProperty,
      kind: kindProperty,
      metadata: metadataProperty,
    },
    required: [...required, ...typeNames.filter((name) => !required.includes(name))],
  }
}
