import type { GroupVersionKind } from '#api/meta/v1/group-version-kind.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/**
 * Schemas of the kinds that virt-api's webhooks review. Loaded on demand: few processes ever need
 * them.
 */
export async function reviewSchema({ group, kind }: GroupVersionKind): Promise<StructuralSchema | undefined> {
  const { schemas } = await moduleOf(group)
  return Object.hasOwn(schemas, kind) ? schemas[kind] : undefined
}

async function moduleOf(group: string): Promise<{ readonly schemas: Readonly<Record<string, StructuralSchema>> }> {
  switch (group) {
    case 'kubevirt.io':
      return import('#api/kubevirt/v1/schema.generated.ts')
    case 'instancetype.kubevirt.io':
      return import('#api/instancetype/v1beta1/schema.generated.ts')
    case 'snapshot.kubevirt.io':
      return import('#api/snapshot/v1beta1/schema.generated.ts')
    case 'clone.kubevirt.io':
      return import('#api/clone/v1beta1/schema.generated.ts')
    case 'migrations.kubevirt.io':
      return import('#api/migrations/v1alpha1/schema.generated.ts')
    case 'cdi.kubevirt.io':
      return import('#api/cdi/v1beta1/schema.generated.ts')
    case 'policy':
      return import('#api/policy/v1/schema.generated.ts')
    default:
      return { schemas: {} }
  }
}
