import type { Client } from '#client/client.ts'

/**
 * Returns a client whose every request, watches included, also ends when `signal` aborts.
 * Afterwards it sends nothing: each call rejects with the signal's reason. A reconciler wraps its
 * client with the signal of the pass, so that no call can miss it.
 */
export function withSignal<C extends Partial<Client>>(client: C, signal: AbortSignal): C {
  const inner = client as Partial<Client> as Client
  const merged = <O extends { signal?: AbortSignal }>(options: O | undefined): O & { signal: AbortSignal } => {
    const own = options?.signal
    return { ...(options ?? ({} as O)), signal: own === undefined ? signal : AbortSignal.any([own, signal]) }
  }
  const send = async <R>(request: () => Promise<R>): Promise<R> => {
    signal.throwIfAborted()
    return request()
  }
  const wrapped: Client = {
    get: (resource, key, options) => send(() => inner.get(resource, key, merged(options))),
    list: (resource, options) => send(() => inner.list(resource, merged(options))),
    watch: (resource, options) => inner.watch(resource, merged(options)),
    create: (resource, object, options) => send(() => inner.create(resource, object, merged(options))),
    update: (resource, object, options) => send(() => inner.update(resource, object, merged(options))),
    patch: (resource, key, patch, options) => send(() => inner.patch(resource, key, patch, merged(options))),
    delete: (resource, key, options) => send(() => inner.delete(resource, key, merged(options))),
  }
  return wrapped as Partial<Client> as C
}
