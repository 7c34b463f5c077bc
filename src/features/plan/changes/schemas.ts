import { schemas as instancetypeSchemas } from '#api/instancetype/v1beta1/schema.generated.ts'
import { schemas as kubevirtSchemas } from '#api/kubevirt/v1/schema.generated.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/** Returns the schema of a planned kind. */
export function schemaOf({ group, kind }: ResourceType<unknown>): StructuralSchema | undefined {
  if (group === 'kubevirt.io') return kubevirtSchemas[kind]
  return group === 'instancetype.kubevirt.io' ? instancetypeSchemas[kind] : undefined
}
