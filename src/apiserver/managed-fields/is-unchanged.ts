import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject, ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'

/**
 * Reports whether a write changes nothing. Times in managedFields do not count, as otherwise every
 * repeated apply would be a new version.
 */
export function isUnchanged(object: KubeObject, old: KubeObject): boolean {
  // Compares the most likely difference first.
  if (!isSameField('status', object, old) || !isSameField('spec', object, old)) return false
  const { managedFields, ...metadata } = object.metadata ?? {}
  const { managedFields: oldFields, ...oldMetadata } = old.metadata ?? {}
  return deepEqual({ ...object, metadata }, { ...old, metadata: oldMetadata }) && areSameOwners(managedFields, oldFields)
}

function isSameField(field: string, object: object, old: object): boolean {
  return deepEqual((object as Record<string, unknown>)[field], (old as Record<string, unknown>)[field])
}

function areSameOwners(entries: readonly ManagedFieldsEntry[] = [], old: readonly ManagedFieldsEntry[] = []): boolean {
  return entries === old || (entries.length === old.length && deepEqual(withoutTimes(entries), withoutTimes(old)))
}

/** Entries without times, which also determine their order. */
function withoutTimes(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const timeless = entries.map((entry): ManagedFieldsEntry => {
    const { time: _, ...rest } = entry
    return rest
  })
  return timeless.sort((a, b) => compareText(nameOf(a), nameOf(b)))
}

function nameOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify([manager, operation, apiVersion, subresource])
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
