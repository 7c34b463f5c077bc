import { TransportError, type Client } from '#client/client.ts'

/**
 * Point at which a client crashes: before its n-th write reaches the API, or after it did but
 * before the response arrives.
 */
export interface CrashPoint {
  readonly write: number
  readonly moment: 'before' | 'after'
}

/**
 * Returns a client that fails from one write on, as if the process had been killed, and calls
 * `onDeath` then.
 */
export function crashingClient(client: Client, death: CrashPoint, onDeath: () => void): Client {
  let count = 0
  let isDead = false
  const die = (): never => {
    if (!isDead) onDeath()
    isDead = true
    throw new TransportError('the process was killed')
  }
  const write = async <T>(perform: () => Promise<T>): Promise<T> => {
    const isLast = ++count === death.write
    if (isDead || (isLast && death.moment === 'before')) die()
    try {
      return await perform()
    } finally {
      // Also when the server has refused the write.
      if (isLast) die()
    }
  }
  return {
    ...client,
    create: (resource, object, options) => write(() => client.create<never, never>(resource as never, object as never, options)),
    update: (resource, object, options) => write(() => client.update(resource, object, options)),
    patch: (resource, key, patch, options) => write(() => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => write(() => client.delete(resource, key, options)),
  }
}
