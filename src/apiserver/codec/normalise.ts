import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { fillNullItems } from '#apimachinery/structural/transform/null-items.ts'
import { dropNulls } from '#apimachinery/structural/transform/nulls.ts'
import { prune } from '#apimachinery/structural/transform/prune.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { canonicalQuantities } from './canonical-quantities.ts'
import { coerceEmbedded, type Malformed } from './embedded-metadata.ts'

/** An object pruned and defaulted by its schema. */
export interface Normalised {
  readonly object: KubeObject
  /** Paths of pruned fields. */
  readonly unknown: readonly string[]
}

/**
 * Drops nulls and unknown fields, sets defaults, and canonicalizes quantities of built-in kinds.
 * Returns the same object without changes. `hasNoNulls` skips the search for nulls. @throws
 * EmbeddedTypeError for malformed embedded metadata that is refused
 */
export function normalise(
  { schema, custom }: Pick<ResourceDefinition, 'schema' | 'custom'>,
  object: KubeObject,
  hasNoNulls: boolean = false,
  malformed: Malformed = 'refuse',
): Normalised {
  const { value, unknown } = prune(hasNoNulls ? object : withoutNulls(object, schema, custom), schema)
  const complete = applyDefaults(value, schema) as KubeObject
  return { object: custom ? coerceEmbedded(complete, schema, malformed) : canonicalQuantities(complete, schema), unknown }
}

function withoutNulls(object: KubeObject, schema: ResourceDefinition['schema'], custom: boolean): unknown {
  return dropNulls(custom ? object : fillNullItems(object, schema), schema)
}
