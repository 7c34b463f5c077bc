import type { ResourceQuota, ResourceQuotaStatus } from '#api/core/v1/resource-quota.ts'
import { type CountedResource, objectUsage, resourceCountedAs } from '#api/usage/object-usage.ts'
import { isInScope } from '#api/usage/quota-scopes.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { formatQuantity, parseQuantity } from '#apimachinery/quantity.ts'

/** All objects of one kind in the namespace of a quota. */
export interface Counted extends CountedResource {
  readonly objects: readonly KubeObject[]
}

/** The resources whose objects a quota counts. Pure. */
export function countedResources({ spec }: ResourceQuota): readonly CountedResource[] {
  const all = Object.keys(spec?.hard ?? {}).flatMap((name) => resourceCountedAs(name) ?? [])
  return [...new Map(all.map((resource) => [`${resource.group}/${resource.plural}`, resource])).values()]
}

/** Computes the status of a quota: hard limits and use of each. Pure. */
export function quotaStatus(quota: ResourceQuota, counted: readonly Counted[], nowMs: number): ResourceQuotaStatus {
  const hard = quota.spec?.hard ?? {}
  const sum = new Map<string, bigint>()
  for (const resource of counted) {
    for (const object of resource.objects) {
      if (!isInScope(quota, resource, object)) continue
      for (const [name, amount] of objectUsage(resource, object, nowMs)) sum.set(name, (sum.get(name) ?? 0n) + amount)
    }
  }
  const used = Object.entries(hard).map(([name, bound]) => {
    const { format } = parseQuantity(bound)
    return [name, formatQuantity({ nanos: (sum.get(name) ?? 0n) * 1_000_000n, format })]
  })
  return { hard, used: Object.fromEntries(used) }
}
