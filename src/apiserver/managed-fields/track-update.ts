import { FieldsV1Error } from '#apimachinery/fields/fields-v1.ts'
import type { Writing } from '#apimachinery/fields/managers.ts'
import { updateOwners } from '#apimachinery/fields/ownership.ts'
import { FieldTypeError } from '#apimachinery/fields/typed-value.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject, ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { withApiVersion } from '#apiserver/codec/conversion.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { capManagers } from './cap-managers.ts'
import { type Convert, unownedFields, versionsOf } from './kind-type.ts'
import { decodeOwnership, encodeOwnership, identityOf, noOwnership, type Ownership } from './ownership-codec.ts'

/** Context of ownership tracking. */
export interface Tracking {
  readonly registry: ResourceRegistry
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Converts objects. Default: only the apiVersion changes. */
  readonly convert?: Convert
}

/** Copy with other managedFields. */
export function withManagedFields(object: KubeObject, managedFields: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  const { managedFields: before, ...metadata } = object.metadata ?? {}
  if (before === managedFields) return object
  return {
    ...object,
    metadata: managedFields === undefined ? metadata : { ...metadata, managedFields: managedFields as ManagedFieldsEntry[] },
  }
}

/** Describes the write of a manager. */
export function writingOf(
  { registry, convert = withApiVersion }: Tracking,
  target: Target,
  manager: string,
  operation: 'Apply' | 'Update',
): Writing {
  const { definition, subresource } = target
  const apiVersion = apiVersionOf(definition)
  const identity = identityOf({ manager: manager === '' ? 'unknown' : manager, operation, apiVersion, subresource })
  return { versions: versionsOf(registry, target, convert), apiVersion, manager: identity, unowned: unownedFields }
}

/** Updates ownership after an update; a manager that gains a field gets the current time. */
export function updateOwnership(
  writing: Writing,
  old: KubeObject | undefined,
  next: KubeObject,
  ownership: Ownership,
  nowMs: number,
): Ownership {
  const { managers, took } = updateOwners(writing, old, next, ownership.managers)
  if (managers === ownership.managers && !took) return ownership
  const times = took ? new Map(ownership.times).set(writing.manager, rfc3339(nowMs)) : ownership.times
  return capManagers({ managers, times })
}

/**
 * Returns the managedFields that an update starts from: those sent, or the stored ones when missing
 * or malformed.
 */
function startingEntries(
  { subresource }: Target,
  live: readonly ManagedFieldsEntry[] | undefined,
  sent: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (subresource !== '' || sent === undefined || sent === live || deepEqual(sent, live)) return live
  if (isReset(sent)) return undefined
  return decodedOr(noOwnership, sent) === noOwnership ? live : sent
}

/** Reports whether the list resets all ownership: empty, or one empty entry. */
function isReset(sent: readonly ManagedFieldsEntry[]): boolean {
  const [first] = sent
  if (first === undefined) return true
  return sent.length === 1 && Object.values(first).every((value) => value === undefined || value === null || value === '')
}

function decodedOr(otherwise: Ownership, entries: readonly ManagedFieldsEntry[] | undefined): Ownership {
  try {
    return decodeOwnership(entries)
  } catch (error) {
    if (error instanceof FieldsV1Error) return otherwise
    throw error
  }
}

/**
 * Updates managedFields after a write other than apply. `sent` are those of the client. An object
 * without any gets none before its first apply.
 */
export function trackUpdate(
  tracking: Tracking,
  target: Target,
  { old, next, sent }: { old: KubeObject | undefined; next: KubeObject; sent: readonly ManagedFieldsEntry[] | undefined },
  manager: string,
): KubeObject {
  const entries = startingEntries(target, old?.metadata?.managedFields, sent)
  const ownership = decodedOr(noOwnership, entries)
  if (old !== undefined && ownership.managers.size === 0) return withManagedFields(next, undefined)
  try {
    const updated = updateOwnership(writingOf(tracking, target, manager, 'Update'), old, next, ownership, tracking.now())
    return withManagedFields(next, updated === ownership ? entries : encodeOwnership(updated))
  } catch (error) {
    // The object violates its schema, which validation reports; until then, no record is better
    // than a wrong one.
    if (error instanceof FieldTypeError) return withManagedFields(next, undefined)
    throw error
  }
}
