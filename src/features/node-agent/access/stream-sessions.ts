import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { exchange, type ExchangeOptions } from './stream.ts'

/** One connection of a client to a stream of a guest. */
export interface StreamSession {
  /** Exchanges bytes until one side ends. */
  run(client: WebSocket, stream: Duplex, options: ExchangeOptions): void
  /** Gives the stream up. */
  end(): void
}

interface Held {
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** WebSocket close codes: RFC 6455, 7.4.1. */
const [goingAway, policyViolation] = [1001, 1008]

/** Sessions of the streams of guests. Each stream has one: a new one ends the one before it. */
export class StreamSessions {
  readonly #held = new Map<string, Held>()

  has(key: string): boolean {
    return this.#held.has(key)
  }

  /** Ends the session of a stream, and begins another when its connection is closed. */
  async begin(key: string): Promise<StreamSession> {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const stop = new AbortController()
    const before = this.#held.get(key)
    const held: Held = { stop, ended }
    this.#held.set(key, held)
    const end = (): void => {
      if (this.#held.get(key) === held) this.#held.delete(key)
      resolve()
    }
    before?.stop.abort({ code: policyViolation, text: 'another client has connected' })
    await before?.ended
    return {
      end,
      run: (client, stream, options) => {
        stream.once('close', end)
        const close = (): void => {
          const { code, text } = stop.signal.reason as { readonly code: number; readonly text: string }
          client.close(code, text)
          stream.destroy()
        }
        stop.signal.addEventListener('abort', close, { once: true })
        exchange(client, stream, options)
        if (stop.signal.aborted) close()
        if (stream.destroyed) end()
      },
    }
  }

  closeAll(text: string): void {
    for (const { stop } of this.#held.values()) stop.abort({ code: goingAway, text })
  }
}
