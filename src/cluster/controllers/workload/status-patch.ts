import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** What to merge into `old` so that it says what `next` says; undefined when it does. Fields that are 0 in `optional` are left out, as Kubernetes does. Pure. */
export function statusPatch(old: object | undefined, next: object, optional: readonly string[] = []): Record<string, unknown> | undefined {
  const before = new Map(Object.entries(old ?? {}))
  const after = new Map(Object.entries(next).filter(([field, value]) => value !== undefined && !(value === 0 && optional.includes(field))))
  const patch: Record<string, unknown> = {}
  for (const field of new Set([...before.keys(), ...after.keys()])) {
    const value = after.get(field)
    if (!deepEqual(before.get(field), value)) patch[field] = value ?? null
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Writes the status if it says something new. `exact`: only if nobody has touched the object since it was read. */
export async function writeStatus<T extends KubeObject & { status?: object }>(
  client: Client,
  resource: ResourceType<T>,
  object: T,
  next: object,
  options: { readonly optional?: readonly string[]; readonly exact?: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const status = statusPatch(object.status, next, options.optional)
  if (status === undefined) return
  const { namespace = '', name = '', uid, resourceVersion } = object.metadata ?? {}
  const metadata = options.exact === true ? { uid, resourceVersion } : { uid }
  await client.patch(
    resource,
    { namespace, name },
    { type: 'merge', body: { metadata, status } },
    { subresource: 'status', signal: options.signal },
  )
}
