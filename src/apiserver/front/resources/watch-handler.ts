import { internalError, StatusError, type Status } from '#apimachinery/errors.ts'
import type { Negotiated } from '#apiserver/request/content-negotiation.ts'
import type { RequestContext, Target, Verbs, WatchOutput } from '#apiserver/request/api-request.ts'
import { createEventEncoder, createSharedLines } from './event-encoder.ts'
import type { Exchange } from '#apiserver/http/exchange.ts'
import { includeObjectOf, watchQuery } from './query-options.ts'
import type { Reply } from '../reply.ts'
import type { WatchHub, WatchWriter } from './watch-writer.ts'

/** An authorized watch. */
export interface WatchCall {
  readonly call: {
    readonly exchange: Exchange
    readonly reply: Reply
    readonly query: URLSearchParams
    readonly info: { readonly name: string }
  }
  readonly target: Target
  readonly negotiated: Negotiated
  readonly context: Omit<RequestContext, 'signal'>
}

/** Streams events until the client, the server or the time-out ends the watch. */
export type WatchHandler = (watch: WatchCall) => Promise<void>

/** Options of {@link createWatchHandler}. */
export interface WatchHandlerOptions {
  readonly verbs: Verbs
  readonly hub: WatchHub
  readonly now: () => number
  /** Returns numbers in [0, 1): spreads the default time-outs. */
  readonly random: () => number
  /** Ends all watches at shutdown. */
  readonly stopping: AbortSignal
}

/** Shortest default time-out in seconds; the longest is twice as much. */
const defaultTimeoutSeconds = 1800

function errorLine(error: unknown): Buffer {
  const status: Status = (error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error)))
    .status
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
}

/**
 * Serves watches. The answer starts with the first event or at the end of the event-loop turn.
 * After that, errors are sent as events, as clients cannot see a status code any more.
 */
export function createWatchHandler(options: WatchHandlerOptions): WatchHandler {
  const { verbs, hub } = options
  const lines = createSharedLines()
  /**
   * Ends each running watch. One abort listener serves all: with ten thousand listeners on a
   * signal, each removal is a linear search.
   */
  const ends = new Set<() => void>()
  options.stopping.addEventListener('abort', () => ends.forEach((end) => end()), { once: true })

  return async ({ call, target, negotiated, context }) => {
    const { exchange, reply } = call
    const query = watchQuery(call.query, call.info.name)
    const timeoutSeconds = query.timeoutSeconds ?? Math.floor(defaultTimeoutSeconds * (1 + options.random()))
    const encode = createEventEncoder(target.definition, negotiated, { lines, include: includeObjectOf(call.query), now: options.now })
    const ending = new AbortController()
    const end = (): void => ending.abort()
    ends.add(end)
    exchange.onGone(end)
    if (options.stopping.aborted) end()

    let writer: WatchWriter | undefined
    const start = (): WatchWriter => (writer ??= hub.open(reply.open('application/json'), end))
    const emit = (output: WatchOutput): void => start().push(encode(output))
    try {
      // Not a spread, which would call the lazy getter of `signal`.
      const { user, fieldManager } = context
      const watchContext = { user, fieldManager, warn: (text: string) => context.warn(text), signal: ending.signal }
      const watching = verbs.watch(target, { ...query, timeoutSeconds }, emit, watchContext)
      // A watch that is refused at once, as for a bad selector, rejects before anything is sent and
      // gets a status code.
      await Promise.race([watching, new Promise<void>((resolve) => setImmediate(resolve))])
      start()
      await watching
    } catch (error) {
      if (ending.signal.aborted) return writer?.end()
      // Clients expect 410 and failed conversions as ERROR events, even as the first one.
      const isEvent = error instanceof StatusError && (error.code === 410 || error.code === 500)
      if (writer === undefined && !isEvent) throw error
      start().push(errorLine(error))
    } finally {
      ends.delete(end)
      writer?.end()
    }
  }
}
