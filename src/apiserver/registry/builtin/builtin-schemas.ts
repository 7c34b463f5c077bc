import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { openSchema } from '#apiserver/registry/define-resource.ts'

type KindSchemas = Readonly<Record<string, StructuralSchema>>

/** Generated schemas by apiVersion, then kind. */
const generated: Readonly<Record<string, KindSchemas>> = {}

/** The schema of a built-in kind. A kind that has none takes whatever it is given. */
export function schemaOf(resource: { group: string; version: string; kind: string }): StructuralSchema {
  return generated[apiVersionOf(resource)]?.[resource.kind] ?? openSchema
}
