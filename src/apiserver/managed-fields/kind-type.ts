import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'
import { fieldSetOf, type FieldSet, noFields } from '#apimachinery/fields/field-set.ts'
import { deducedType, type FieldType, fieldTypeOf } from '#apimachinery/fields/field-type.ts'
import type { Versions } from '#apimachinery/fields/managers.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { Target } from '#apiserver/endpoints/api-request.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

const text: FieldType = { scalar: 'string' }

function metadataType(): FieldType {
  const { map } = fieldTypeOf(ObjectMeta)
  if (map === undefined) return deducedType
  // Nobody owns the record of who owns what.
  const fields = new Map([...map.fields].filter(([name]) => name !== 'managedFields'))
  return { map: { ...map, fields: fields.set('selfLink', text) } }
}

const metadata = metadataType()
const types = new WeakMap<ResourceDefinition, FieldType>()

/** The type of a kind's objects, with metadata as it is for all kinds. */
export function kindTypeOf(definition: ResourceDefinition): FieldType {
  let type = types.get(definition)
  if (type === undefined) {
    const { map } = fieldTypeOf(definition.schema)
    const fields = new Map([...(map?.fields ?? []), ['apiVersion', text], ['kind', text], ['metadata', metadata]] as const)
    type = { map: { atomic: false, fields, others: map?.others } }
    types.set(definition, type)
  }
  return type
}

/** Fields that only the server decides on. */
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

/** What a path does not write, whatever it is sent. */
function ignoredFields({ definition, subresource }: Target): FieldSet {
  if (subresource === 'status') return definition.custom ? allButStatus : spec
  return subresource === '' && definition.hasStatus ? status : noFields
}

/** The versions of a target's kind, as ownership sees them. */
export function versionsOf(registry: ResourceRegistry, target: Target): Versions {
  const { definition } = target
  const own = apiVersionOf(definition)
  const ignored = ignoredFields(target)
  return {
    typeOf(apiVersion) {
      if (apiVersion === own) return kindTypeOf(definition)
      const { group, version } = parseApiVersion(apiVersion)
      const other = group === definition.group ? registry.find(group, version, definition.plural) : undefined
      return other === undefined ? undefined : kindTypeOf(other)
    },
    convert: (object, _from, to) => ({ ...(object as object), apiVersion: to }),
    ignored: () => ignored,
  }
}
