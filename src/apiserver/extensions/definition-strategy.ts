import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { decodeSchema } from '#apimachinery/structural/definition/decode-schema.ts'
import { rfc3339 } from '#apiserver/endpoints/identity.ts'
import { terminatingStatus } from './terminating-status.ts'
import { validateDefinition } from './validation/validate-definition.ts'

/** Holds a deleted definition until all its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Definitions complete their names, must make sense, and take their objects with them when they go. */
export const definitionStrategy: Strategy = {
  prepareForCreate: (object) => withStoredVersion(withDefaults(object as CustomResourceDefinition)),
  prepareForUpdate: (object) => withStoredVersion(withDefaults(object as CustomResourceDefinition)),
  validate: (object, old) => validateDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined),
  markDeleting(object, nowMs) {
    const definition = object as CustomResourceDefinition
    const { metadata } = definition
    const finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])]
    const marked: CustomResourceDefinition = {
      ...definition,
      metadata: { ...metadata, finalizers },
      status: terminatingStatus(definition, { stage: 'pending' }, rfc3339(nowMs)),
    }
    return marked
  },
}

/** In the same write as the change itself: there must be no moment in which objects are stored in a version that the status does not name. */
function withStoredVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = definition.spec?.versions?.find((version) => version.storage)?.name
  const storedVersions = definition.status?.storedVersions ?? []
  if (storage === undefined || storedVersions.includes(storage)) return definition
  return { ...definition, status: { ...definition.status, storedVersions: [...storedVersions, storage] } }
}

function withDefaults(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { spec } = definition
  if (spec?.names === undefined) return definition
  const { names } = spec
  const { singular = '', listKind = '' } = names
  return {
    ...definition,
    spec: {
      ...spec,
      names: {
        ...names,
        singular: singular === '' ? (names.kind ?? '').toLowerCase() : singular,
        listKind: listKind === '' ? `${names.kind}List` : listKind,
      },
      conversion: spec.conversion ?? { strategy: 'None' },
      ...(spec.versions === undefined ? {} : { versions: spec.versions.map(withDecodedSchema) }),
    },
  }
}

/** Schemas are kept in their canonical form; one that has none is left for validation to name. */
function withDecodedSchema(version: CustomResourceDefinitionVersion): CustomResourceDefinitionVersion {
  const { openAPIV3Schema } = version.schema ?? {}
  if (openAPIV3Schema === undefined || openAPIV3Schema === null) return version
  const { schema, faults } = decodeSchema(openAPIV3Schema, '')
  return faults.length > 0 ? version : { ...version, schema: { openAPIV3Schema: schema } }
}
