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

/** Holds a deleted definition until all its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * Definitions complete their names, must make sense, and take their objects with them when they go.
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

/** Most definitions have no rules, and what judges rules is large. */
function validateLater(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): Promise<readonly FieldError[]> | undefined {
  const ruled = definition.spec.versions.some(({ schema }) => schema?.openAPIV3Schema !== undefined && hasRules(schema.openAPIV3Schema))
  if (!ruled || (old !== undefined && deepEqual(definition.spec, old.spec))) return undefined
  return import('./validation/validate-rules.ts').then(({ validateRules }) => validateRules(definition))
}

/**
 * What was sent is completed before anybody has checked that it is what its type says; what is not
 * is left for validation to name.
 */
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

/**
 * The singular is the kind in lower case and the list kind ends in `List`, unless something else is
 * said.
 */
function completeNames(names: Record<string, unknown>): Record<string, unknown> {
  const { kind, singular, listKind } = names
  if (typeof kind !== 'string') return names
  return { ...names, singular: isEmpty(singular) ? kind.toLowerCase() : singular, listKind: isEmpty(listKind) ? `${kind}List` : listKind }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === ''
}

/** Schemas are kept in their canonical form; one that has none is left for validation to name. */
function withDecodedSchema(version: unknown): unknown {
  if (!isJsonObject(version) || !isJsonObject(version['schema'])) return version
  const { openAPIV3Schema } = version['schema']
  if (openAPIV3Schema === undefined || openAPIV3Schema === null) return version
  const { schema, faults } = decodeSchema(openAPIV3Schema, '')
  return faults.length > 0 ? version : { ...version, schema: { openAPIV3Schema: schema } }
}

/**
 * In the same write as the change itself: there must be no moment in which objects are stored in a
 * version that the status does not name.
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
