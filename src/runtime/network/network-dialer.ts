import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import type { Clock } from '../clock/clock.ts'
import { SocketOpener, type Destination, type Opened } from './socket-opener.ts'

/** Opens sockets in a network. */
export interface NetworkDialer {
  /** Connects over TCP. Rejects with the error of the system, or the reason of the signal. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>
  /** Opens a socket for UDP. */
  openDatagrams(): Promise<DatagramSocket>
}

/** Opens sockets in the network of this process. */
export const directDialer: NetworkDialer = {
  connect: (host, port, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true, signal })
      const fail = (error: Error): void => reject(signal.aborted ? signal.reason : error)
      socket.once('error', fail)
      socket.once('connect', () => resolve(socket.off('error', fail)))
    }),
  openDatagrams: async () => createSocket('udp4'),
}

/**
 * Opens sockets in the pod network of this machine: root reaches it directly, and others through a
 * child in its namespace, which passes on the sockets that it has opened.
 */
export function createPodNetworkDialer(namespace: string, clock: Clock): NetworkDialer {
  return process.geteuid?.() === 0 ? directDialer : createNamespaceDialer(namespace, clock)
}

/**
 * Returns what reaches an address: of the pod network, whose addresses have a prefix, or of the
 * machine.
 */
export function createDialerChoice(place: {
  readonly namespace: string
  /** First two numbers of the addresses of the pod network: `10.115`. */
  readonly prefix: string
  readonly clock: Clock
}): (host: string) => NetworkDialer {
  const dialer = createPodNetworkDialer(place.namespace, place.clock)
  return (host) => (host.startsWith(`${place.prefix}.`) ? dialer : directDialer)
}

/** Opens sockets in a network namespace. */
export function createNamespaceDialer(namespace: string, clock: Clock): NetworkDialer {
  return new NamespaceDialer(namespace, clock)
}

/** Milliseconds without a request after which the child ends: it takes 20 MB. */
const idleMs = 60_000

class NamespaceDialer implements NetworkDialer {
  readonly #namespace: string
  readonly #clock: Clock
  #opener: SocketOpener | undefined
  #idle: Disposable | undefined

  constructor(namespace: string, clock: Clock) {
    this.#namespace = namespace
    this.#clock = clock
  }

  async connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const opened = this.#open({ host, port }) as Promise<Socket>
    try {
      return await Promise.race([opened, aborted])
    } catch (error) {
      void opened.then((socket) => socket.destroy()).catch(() => {})
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  openDatagrams(): Promise<DatagramSocket> {
    return this.#open() as Promise<DatagramSocket>
  }

  #open(to?: Destination): Promise<Opened> {
    if (this.#opener?.hasEnded !== false) this.#opener = new SocketOpener(this.#namespace)
    this.#endWhenIdle(this.#opener)
    return this.#opener.open(to)
  }

  #endWhenIdle(opener: SocketOpener): void {
    this.#idle?.[Symbol.dispose]()
    this.#idle = this.#clock.after(idleMs, () => {
      if (opener.isBusy) return this.#endWhenIdle(opener)
      opener.end()
    })
  }
}
