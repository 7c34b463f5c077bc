import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/**
 * Returns an object without the managedFields entries of plain updates, which are about half of a
 * cached object and which no controller reads. Entries of server-side apply stay: they tell which
 * fields a manifest owns.
 */
export function withoutUpdateEntries<T extends KubeObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata ?? {}
  if (managedFields === undefined) return object
  const applied = managedFields.filter(({ operation }) => operation === 'Apply')
  return { ...object, metadata: applied.length === 0 ? metadata : { ...metadata, managedFields: applied } }
}
