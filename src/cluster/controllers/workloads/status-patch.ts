import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client } from '#client/client.ts'

/**
 * Merge patch from `old` to `next`; undefined when they are equal. Fields of `optional` that are 0
 * are left out, as Kubernetes does. Pure.
 */
export function statusPatch(old: object | undefined, next: object, optional: readonly string[] = []): object | undefined {
  const kept = Object.entries(next).filter(([field, value]) => value !== undefined && !(value === 0 && optional.includes(field)))
  const patch = createMergePatch(old ?? {}, Object.fromEntries(kept))
  return typeof patch === 'object' && patch !== null && Object.keys(patch).length > 0 ? patch : undefined
}

/**
 * Writes a changed status, and resolves to the stored object. `exact`: only if the object has not
 * changed since it was read.
 */
export async function writeStatus<T extends KubeObject & { status?: object }>(
  client: Client,
  resource: ResourceType<T>,
  object: T,
  next: object,
  options: { readonly optional?: readonly string[]; readonly exact?: boolean; readonly signal: AbortSignal },
): Promise<T | undefined> {
  const status = statusPatch(object.status, next, options.optional)
  if (status === undefined) return undefined
  const { namespace = '', name = '', uid, resourceVersion } = object.metadata ?? {}
  const metadata = options.exact === true ? { uid, resourceVersion } : { uid }
  return client.patch(
    resource,
    { namespace, name },
    { type: 'merge', body: { metadata, status } },
    { subresource: 'status', signal: options.signal },
  )
}
