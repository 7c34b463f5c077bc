import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyDefaults } from '#apimachinery/structural/default.ts'
import { dropNulls } from '#apimachinery/structural/nulls.ts'
import { prune } from '#apimachinery/structural/prune.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { canonicalQuantities } from './canonical-quantities.ts'

/** An object in the form that its schema wants. */
export interface Normalised {
  readonly object: KubeObject
  /** Paths of fields that were dropped because the schema does not know them. */
  readonly unknown: readonly string[]
}

/**
 * Drops nulls that mean nothing and unknown fields, and sets defaults; writes quantities of built-in kinds canonically. Gives the very same object
 * when there is nothing to do. With `hasNoNulls` nobody looks for any.
 */
export function normalise(
  { schema, custom }: Pick<ResourceDefinition, 'schema' | 'custom'>,
  object: KubeObject,
  hasNoNulls: boolean = false,
): Normalised {
  const { value, unknown } = prune(hasNoNulls ? object : dropNulls(object, schema), schema)
  const complete = applyDefaults(value, schema) as KubeObject
  return { object: custom ? complete : canonicalQuantities(complete, schema), unknown }
}
