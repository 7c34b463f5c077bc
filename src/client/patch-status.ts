import { deepEqual } from '#apimachinery/equality.ts'
import type { Condition, KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { addressOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyMergePatch, createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client, WriteOptions } from './client.ts'

type Patcher = Pick<Client, 'patch'>

/** Fields of an object to merge; null removes a field. */
interface Change {
  readonly metadata?: Partial<Record<keyof ObjectMeta, unknown>>
  readonly spec?: unknown
  readonly status?: unknown
}

/**
 * Sends a merge patch that the API server applies only to the version of the object that was read.
 * A merge patch replaces a list as a whole, so without this precondition it would drop elements
 * that another client added meanwhile.
 *
 * @throws StatusError: Conflict when the object has changed since, NotFound when it is gone
 */
export function patchIfUnchanged<T extends KubeObject>(
  client: Patcher,
  resource: ResourceType<T>,
  read: KubeObject,
  { metadata, ...change }: Change,
  options: WriteOptions = {},
): Promise<T> {
  const body = { ...change, metadata: { ...metadata, resourceVersion: read.metadata?.resourceVersion } }
  return client.patch(resource, addressOf(read), { type: 'merge', body }, options)
}

/** Options of {@link patchStatus}. */
export interface StatusPatchOptions extends WriteOptions {
  /**
   * Condition types that this controller writes. `conditions` then lists only those: a listed type
   * that is absent is removed, and conditions of other types stay as they were read.
   */
  readonly ownedConditions?: readonly string[]
  /** Labels, annotations and the like to change in the same request, for VMIs and nodes only. */
  readonly metadata?: Change['metadata']
}

/**
 * Merges fields into an object's status, on the version that was read. Fields that have their value
 * already are left out; when all have, nothing is sent and the object is returned as it is. Writes
 * through the object itself where the resource has no status subresource.
 *
 * @throws StatusError: Conflict when the object has changed since, NotFound when it is gone
 */
export async function patchStatus<T extends KubeObject & { readonly status?: object }>(
  client: Patcher,
  resource: ResourceType<T>,
  read: T,
  change: object,
  { ownedConditions, metadata, ...options }: StatusPatchOptions = {},
): Promise<T> {
  const status = read.status ?? {}
  const next = applyMergePatch(status, ownedConditions === undefined ? change : withConditions(status, change, ownedConditions))
  const isSame = deepEqual(status, next)
  if (isSame && metadata === undefined) return read
  const subresource = resource.hasStatusSubresource === false ? {} : { subresource: 'status' }
  const body = { ...(metadata === undefined ? {} : { metadata }), ...(isSame ? {} : { status: createMergePatch(status, next) }) }
  return patchIfUnchanged(client, resource, read, body, { ...options, ...subresource })
}

interface WithConditions {
  readonly conditions?: readonly Condition[]
}

/** Keeps the order of the conditions that were read; new ones follow. */
function withConditions(status: WithConditions, change: WithConditions, owned: readonly string[]): object {
  const old = status.conditions ?? []
  const wanted = new Map(
    (change.conditions ?? []).filter(({ type }) => owned.includes(type)).map((condition) => [condition.type, condition]),
  )
  const kept = old.flatMap((condition) => (owned.includes(condition.type) ? (wanted.get(condition.type) ?? []) : condition))
  const added = [...wanted.values()].filter(({ type }) => !old.some((condition) => condition.type === type))
  return { ...change, conditions: [...kept, ...added] }
}
