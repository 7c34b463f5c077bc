import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'
import { fieldSetOf, type FieldSet, noFields } from '#apimachinery/fields/field-set.ts'
import { deducedType, type FieldType, fieldTypeOf } from '#apimachinery/fields/field-type.ts'
import type { Versions } from '#apimachinery/fields/managers.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

const text: FieldType = { scalar: 'string' }

function metadataType(): FieldType {
  const { map } = fieldTypeOf(ObjectMeta)
  if (map === undefined) return deducedType
  // managedFields itself has no owner.
  const fields = new Map([...map.fields].filter(([name]) => name !== 'managedFields'))
  return { map: { ...map, fields: fields.set('selfLink', text) } }
}

const metadata = metadataType()
const types = new WeakMap<StructuralSchema, FieldType>()

function rootTypeOf(schema: StructuralSchema): FieldType {
  let type = types.get(schema)
  if (type === undefined) {
    const { map } = fieldTypeOf(schema)
    const fields = new Map([...(map?.fields ?? []), ['apiVersion', text], ['kind', text], ['metadata', metadata]] as const)
    type = { map: { atomic: false, fields, others: map?.others } }
    types.set(schema, type)
  }
  return type
}

/** Returns the field type of a kind's objects, with the metadata of all kinds. */
export function kindTypeOf({ schema }: ResourceDefinition): FieldType {
  return rootTypeOf(schema)
}

/** Fields that only the server sets. */
export const unownedFields: FieldSet = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'generation', 'managedFields', 'resourceVersion'].map((name) => [
    'f:metadata',
    `f:${name}`,
  ]),
)

const status = fieldSetOf(['f:status'])
const allButStatus = fieldSetOf(['f:spec'], ['f:metadata'])
const spec = fieldSetOf(['f:spec'])

/** Fields that a path never writes. */
function ignoredFields({ definition, subresource }: Target): FieldSet {
  if (subresource === 'status') return definition.custom ? allButStatus : spec
  return subresource === '' && definition.hasStatus ? status : noFields
}

function schemaOf(registry: ResourceRegistry, definition: ResourceDefinition, apiVersion: string): StructuralSchema | undefined {
  if (apiVersion === apiVersionOf(definition)) return definition.schema
  if (definition.family !== undefined) return definition.family.schemas.get(apiVersion)
  const { group, version } = parseApiVersion(apiVersion)
  return registry.find(group, version, definition.plural)?.schema
}

/** Converts an object to another version of its kind. */
export type Convert = (object: KubeObject, apiVersion: string) => KubeObject

/** Returns the versions of a target's kind, for field ownership. */
export function versionsOf(registry: ResourceRegistry, target: Target, convert: Convert): Versions {
  const { definition } = target
  const ignored = ignoredFields(target)
  return {
    typeOf(apiVersion) {
      const schema = schemaOf(registry, definition, apiVersion)
      return schema === undefined ? undefined : rootTypeOf(schema)
    },
    convert: (object, _from, to) => convert(object as KubeObject, to),
    ignored: () => ignored,
  }
}
