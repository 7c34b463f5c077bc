import { internalError, StatusError, type Status } from '#apimachinery/errors.ts'
import type { Negotiated } from '#apiserver/content-negotiation.ts'
import type { RequestContext, Target, Verbs, WatchOutput } from '#apiserver/endpoints/api-request.ts'
import { createEventEncoder, createSharedLines } from './event-encoder.ts'
import type { Exchange } from './exchange.ts'
import { includeObjectOf, watchQuery } from './query-options.ts'
import type { Reply } from './reply.ts'
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
  readonly context: RequestContext
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
 * Serves watches. The answer starts with the first event, or in the same turn of the event loop, whichever comes first;
 * from then on failures are events too, as clients of a 200 cannot see anything else.
 */
export function createWatchHandler(options: WatchHandlerOptions): WatchHandler {
  const { verbs, hub } = options
  const lines = createSharedLines()

  return async ({ call, target, negotiated, context }) => {
    const { exchange, reply, query } = call
    const watch = watchQuery(query, call.info.name)
    const encode = createEventEncoder(target.definition, negotiated, { lines, include: includeObjectOf(query), now: options.now })
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const seconds = watch.timeoutSeconds ?? Math.floor(defaultTimeoutSeconds * (1 + options.random()))
    const timer = setTimeout(end, seconds * 1000)
    timer.unref()
    exchange.signal.addEventListener('abort', end, { once: true })
    options.stopping.addEventListener('abort', end, { once: true })
    if (exchange.signal.aborted || options.stopping.aborted) end()

    let writer: WatchWriter | undefined
    const start = (): WatchWriter => (writer ??= hub.open(reply.open('application/json'), end))
    const emit = (output: WatchOutput): void => start().push(encode(output))
    try {
      const watching = verbs.watch(target, watch, emit, {
        ...context,
        user: context.user,
        fieldManager: context.fieldManager,
        signal: ending.signal,
      })
      // A watch that is refused outright (a bad selector) rejects before anything is sent, and gets a proper status code.
      await Promise.race([watching, new Promise<void>((resolve) => setImmediate(resolve))])
      start()
      await watching
    } catch (error) {
      if (ending.signal.aborted) return writer?.end()
      // Too old a revision comes as an event, whatever the moment: clients look for it there.
      const isExpired = error instanceof StatusError && error.code === 410
      if (writer === undefined && !isExpired) throw error
      start().push(errorLine(error))
    } finally {
      clearTimeout(timer)
      exchange.signal.removeEventListener('abort', end)
      options.stopping.removeEventListener('abort', end)
      writer?.end()
    }
  }
}
