import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

const vendorLabel = 'instancetype.kubevirt.io/vendor'

/** Vendors of instance types whose names are few and known. */
const vendors: ReadonlySet<string> = new Set(['kubevirt.io', 'redhat.com', 'steadyvm.io'])

/**
 * Returns the name under which metrics show an instance type or preference. Those that users make
 * are one to KubeVirt, as each name multiplies the series of sums over all guests. Pure.
 */
export function reportedName(object: KubeObject | undefined): string {
  const { labels = {}, name = '' } = object?.metadata ?? {}
  return vendors.has(labels[vendorLabel] ?? '') ? name : '<other>'
}
