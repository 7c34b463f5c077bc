import { isInvalid, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { LabelSelector } from '#apimachinery/selectors/label-selector.ts'
import type { Client } from '#client/client.ts'
import { controllerReference } from './controller-reference.ts'

/** Relation of an object to a workload. */
export type Adoption = 'own' | 'adopt' | 'release' | 'foreign'

/** Owner of a workload's objects, and the selector that they match. */
export interface AdoptionPolicy<O extends KubeObject> {
  readonly resource: ResourceType<O>
  readonly owner: O
  /** Undefined: matches nothing. */
  readonly selector: LabelSelector | undefined
}

/**
 * Decides by the object's controller and its labels. Pure.
 *
 *     controlled by another owner       -> foreign
 *     controlled by us, labels match    -> own
 *     controlled by us, labels do not   -> release, unless the owner is being deleted
 *     no controller, labels match       -> adopt, unless either is being deleted
 */
export function decideAdoption({ owner, selector }: AdoptionPolicy<KubeObject>, object: KubeObject): Adoption {
  const controller = controllerOf(object)
  const matches = selector?.matches(object.metadata?.labels ?? {}) === true
  const leaving = isBeingDeleted(owner)
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata?.uid) return 'foreign'
    if (matches) return 'own'
    return leaving ? 'foreign' : 'release'
  }
  return matches && !leaving && !isBeingDeleted(object) ? 'adopt' : 'foreign'
}

/**
 * Claims what belongs to the owner: adopts orphans and releases objects that no longer match.
 * Resolves to what the owner controls now.
 */
export async function claimDependents<O extends KubeObject, T extends KubeObject>(
  client: Client,
  claimant: AdoptionPolicy<O>,
  resource: ResourceType<T>,
  candidates: readonly T[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const claimed: T[] = []
  let mayAdopt = false
  for (const object of candidates) {
    const verdict = decideAdoption(claimant, object)
    if (verdict === 'own') claimed.push(object)
    if (verdict === 'release') await release(client, claimant, resource, object, signal)
    if (verdict !== 'adopt') continue
    // Our cache may not know yet that the owner is gone: only the server does.
    mayAdopt ||= await isThere(client, claimant, signal)
    const adopted = mayAdopt ? await adopt(client, claimant, resource, object, signal) : undefined
    if (adopted !== undefined) claimed.push(adopted)
  }
  return claimed
}

async function isThere<O extends KubeObject>(
  client: Client,
  { resource, owner }: AdoptionPolicy<O>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const live = await client.get(resource, keyOf(owner), { signal })
    return live.metadata?.uid === owner.metadata?.uid && !isBeingDeleted(live)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function adopt<O extends KubeObject, T extends KubeObject>(
  client: Client,
  claimant: AdoptionPolicy<O>,
  resource: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<T | undefined> {
  const ownerReferences = [...(object.metadata?.ownerReferences ?? []), controllerReference(claimant.resource, claimant.owner)]
  return changeOwners(client, resource, object, ownerReferences, signal)
}

async function release<O extends KubeObject, T extends KubeObject>(
  client: Client,
  { owner }: AdoptionPolicy<O>,
  resource: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const others = (object.metadata?.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata?.uid)
  await changeOwners(client, resource, object, others, signal)
}

async function changeOwners<T extends KubeObject>(
  client: Client,
  resource: ResourceType<T>,
  object: T,
  ownerReferences: readonly object[],
  signal: AbortSignal,
): Promise<T | undefined> {
  const { uid, resourceVersion } = object.metadata ?? {}
  try {
    return await client.patch(
      resource,
      keyOf(object),
      { type: 'merge', body: { metadata: { uid, resourceVersion, ownerReferences } } },
      { signal },
    )
  } catch (error) {
    // Deleted or changed meanwhile: the watch delivers it.
    if (isNotFound(error) || isInvalid(error)) return undefined
    throw error
  }
}
