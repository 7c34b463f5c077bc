import { internalError, StatusError, type Status } from '#apimachinery/errors.ts'
import type { Negotiated } from '#apiserver/request/content-negotiation.ts'
import type { RequestContext, Target, Verbs, WatchOutput } from '#apiserver/request/api-request.ts'
import { createEventEncoder, createSharedLines } from './event-encoder.ts'
import type { Exchange } from '#apiserver/http/exchange.ts'
import { includeObjectOf, watchQuery } from './query-options.ts'
import type { Reply } from '../reply.ts'
import type { WatchHub, WatchWriter } from './watch-writer.ts'

/** A watch to be served. */
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

/** Streams events until client, server or time end it. */
export type WatchHandler = (watch: WatchCall) => Promise<void>

/** What {@link createWatchHandler} needs. */
export interface WatchHandlerOptions {
  readonly verbs: Verbs
  readonly hub: WatchHub
  readonly now: () => number
  /** Yields numbers in [0, 1): spreads the ends of watches that name no time-out. */
  readonly random: () => number
  /** Ends all watches, when the server stops. */
  readonly stopping: AbortSignal
}

/** Seconds after which a watch without a time-out ends: between this and twice this. */
const defaultTimeoutSeconds = 1800

function errorLine(error: unknown): Buffer {
  const status: Status = (error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error)))
    .status
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
}

/**
 * Serves watches. The answer starts with the first event, or in the same turn of the event loop,
 * whichever comes first; from then on failures are events too, as clients of a 200 cannot see
 * anything else.
 */
export function createWatchHandler(options: WatchHandlerOptions): WatchHandler {
  const { verbs, hub } = options
  const lines = createSharedLines()
  /**
   * What ends each running watch. One listener for all of them: ten thousand on one signal would
   * make each removal a long search.
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
      // Each by name: a copy of the whole context would ask for its signal, and so make one.
      const { user, fieldManager } = context
      const watchContext = { user, fieldManager, warn: (text: string) => context.warn(text), signal: ending.signal }
      const watching = verbs.watch(target, { ...query, timeoutSeconds }, emit, watchContext)
      // A watch that is refused outright (a bad selector) rejects before anything is sent, and gets
      // a proper status code.
      await Promise.race([watching, new Promise<void>((resolve) => setImmediate(resolve))])
      start()
      await watching
    } catch (error) {
      if (ending.signal.aborted) return writer?.end()
      // Too old a revision or a failed conversion comes as an event, whatever the moment: clients
      // look for it there.
      const isEvent = error instanceof StatusError && (error.code === 410 || error.code === 500)
      if (writer === undefined && !isEvent) throw error
      start().push(errorLine(error))
    } finally {
      ends.delete(end)
      writer?.end()
    }
  }
}
