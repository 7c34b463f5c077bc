import { type Client, TransportError } from '#client/client.ts'

/** The write at which the client crashes. */
export interface CrashPoint {
  /** The first write is 1; events do not count. */
  readonly atWrite: number
  /** True if the write itself is executed. */
  readonly isDone: boolean
}

/**
 * A client that crashes at one of its writes: the write is executed or not, no answer comes, and
 * all later requests fail.
 */
export function crashingClient(client: Client, crash: CrashPoint): { client: Client; crashed: Promise<void> } {
  const { promise: crashed, resolve } = Promise.withResolvers<void>()
  let writes = 0
  let hasCrashed = false
  const write = async <R>(plural: string, act: () => Promise<R>): Promise<R> => {
    if (hasCrashed) throw new TransportError('killed')
    if (plural === 'events' || ++writes < crash.atWrite) return act()
    hasCrashed = true
    if (crash.isDone) await act().catch(() => {})
    resolve()
    throw new TransportError('killed')
  }
  const crashing: Client = {
    get: (resource, key, options) => client.get(resource, key, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create: (resource, object, options) => write(resource.plural, () => client.create(resource, object, options)),
    update: (resource, object, options) => write(resource.plural, () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) => write(resource.plural, () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => write(resource.plural, () => client.delete(resource, key, options)),
  }
  return { client: crashing, crashed }
}
