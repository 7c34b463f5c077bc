import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { hasRules } from '#apimachinery/structural/rules/has-rules.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { decodeSchema } from '#apimachinery/structural/definition/decode-schema.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { terminatingStatus } from './terminating-status.ts'
import { validateDefinition } from './validation/validate-definition.ts'

/** Keeps a deleted definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * Strategy of CustomResourceDefinitions: completes names, validates, adds the cleanup finalizer.
 */
export const definitionStrategy: Strategy = {
  prepareForCreate: (object) => complete(object as CustomResourceDefinition),
  prepareForUpdate: (object) => complete(object as CustomResourceDefinition),
  validate: (object, old) => validateDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined),
  validateLater: (object, old) => validateLater(object as CustomResourceDefinition, old as CustomResourceDefinition | undefined),
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

/** Validates CEL rules with code that is imported on first use. */
function validateLater(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): Promise<readonly FieldError[]> | undefined {
  const ruled = definition.spec.versions.some(({ schema }) => schema?.openAPIV3Schema !== undefined && hasRules(schema.openAPIV3Schema))
  if (!ruled || (old !== undefined && deepEqual(definition.spec, old.spec))) return undefined
  return import('./validation/validate-rules.ts').then(({ validateRules }) => validateRules(definition))
}

/** Completes a definition before its types are checked; malformed parts are left to validation. */
function complete(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { spec } = definition as { spec?: unknown }
  if (!isJsonObject(spec) || !isJsonObject(spec['names'])) return definition
  const versions = Array.isArray(spec['versions']) ? spec['versions'].map(withDecodedSchema) : undefined
  const { conversion = { strategy: 'None' } } = spec
  return withStoredVersion({
    ...definition,
    spec: {
      ...definition.spec,
      names: completeNames(spec['names']) as unknown as CustomResourceDefinitionNames,
      conversion: conversion as CustomResourceConversion,
      ...(versions === undefined ? {} : { versions: versions as CustomResourceDefinitionVersion[] }),
    },
  })
}

/** Defaults the singular and the list kind. */
function completeNames(names: Record<string, unknown>): Record<string, unknown> {
  const { kind, singular, listKind } = names
  if (typeof kind !== 'string') return names
  return { ...names, singular: isEmpty(singular) ? kind.toLowerCase() : singular, listKind: isEmpty(listKind) ? `${kind}List` : listKind }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === ''
}

/** Normalizes a schema; a malformed one is left to validation. */
function withDecodedSchema(version: unknown): unknown {
  if (!isJsonObject(version) || !isJsonObject(version['schema'])) return version
  const { openAPIV3Schema } = version['schema']
  if (openAPIV3Schema === undefined || openAPIV3Schema === null) return version
  const { schema, faults } = decodeSchema(openAPIV3Schema, '')
  return faults.length > 0 ? version : { ...version, schema: { openAPIV3Schema: schema } }
}

/**
 * Updates `status.storedVersions` in the same write, so that it always covers all stored objects.
 */
function withStoredVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions: unknown = definition.spec.versions
  const storage: unknown = Array.isArray(versions)
    ? versions.find((version) => isJsonObject(version) && version['storage'] === true)
    : undefined
  const name = isJsonObject(storage) ? storage['name'] : undefined
  const storedVersions = definition.status?.storedVersions ?? []
  if (typeof name !== 'string' || storedVersions.includes(name)) return definition
  return { ...definition, status: { ...definition.status, storedVersions: [...storedVersions, name] } }
}
