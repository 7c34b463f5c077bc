import { TransportError, type Client } from '#client/client.ts'

/**
 * When a client dies: before its n-th write reaches the API, or after it did but before the answer
 * came back.
 */
export interface CrashPoint {
  readonly write: number
  readonly moment: 'before' | 'after'
}

/**
 * A client that fails for good at one write, as if the process had been killed there. `onDeath` is
 * called then.
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
      // Also of a refusal nobody hears any more.
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
