import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { expectationKey, type Expectations } from '../controller/expectations.ts'

/** Dependencies of changes of the objects that a workload controls. */
export interface DependentPorts {
  readonly client: Pick<Client, 'create' | 'delete'>
  readonly expectations: Expectations
}

/**
 * Creates an object for its owner, and expects it until the cache shows it.
 * @throws when the server refuses
 */
export async function createDependent<T extends KubeObject>(
  { client, expectations }: DependentPorts,
  owner: KubeObject,
  resource: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<T> {
  const pending = expectations.willCreate(expectationKey(owner))
  try {
    const created = await client.create(resource, object, { signal })
    pending.created(created.metadata?.uid ?? '')
    return created
  } catch (error) {
    pending.failed()
    throw error
  }
}

/**
 * Deletes this very object of an owner, and expects that until the cache shows it. Resolves to
 * false when the object is gone already, or when another one has its name.
 * @throws when the server refuses
 */
export async function deleteDependent<T extends KubeObject>(
  { client, expectations }: DependentPorts,
  owner: KubeObject,
  resource: ResourceType<T>,
  { metadata }: T,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = '', name = '', uid = '' } = metadata ?? {}
  expectations.willDelete(expectationKey(owner), uid)
  try {
    await client.delete(resource, { namespace, name }, { preconditions: { uid }, signal })
    return true
  } catch (error) {
    expectations.deletionFailed(expectationKey(owner), uid)
    if (isNotFound(error) || isConflict(error)) return false
    throw error
  }
}
