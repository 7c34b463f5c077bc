import { type Client, TransportError } from '#client/client.ts'

/** When somebody dies. */
export interface CrashPoint {
  /** The first write is 1; events do not count. */
  readonly atWrite: number
  /** Whether the write itself still gets through. */
  readonly isDone: boolean
}

/**
 * A client whose owner dies with one of its writes: that one is done or not, no answer comes, and
 * nothing works any more.
 */
export function crashingClient(client: Client, death: CrashPoint): { client: Client; dead: Promise<void> } {
  const { promise: dead, resolve } = Promise.withResolvers<void>()
  let writes = 0
  let isDead = false
  const write = async <R>(plural: string, act: () => Promise<R>): Promise<R> => {
    if (isDead) throw new TransportError('killed')
    if (plural === 'events' || ++writes < death.atWrite) return act()
    isDead = true
    if (death.isDone) await act().catch(() => {})
    resolve()
    throw new TransportError('killed')
  }
  const mortal: Client = {
    get: (resource, key, options) => client.get(resource, key, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create: (resource, object, options) => write(resource.plural, () => client.create(resource, object, options)),
    update: (resource, object, options) => write(resource.plural, () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) => write(resource.plural, () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => write(resource.plural, () => client.delete(resource, key, options)),
  }
  return { client: mortal, dead }
}
