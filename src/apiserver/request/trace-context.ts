import { AsyncLocalStorage } from 'node:async_hooks'
import { parseTraceparent, traceparentOf } from '#apimachinery/traceparent.ts'

/**
 * Header `traceparent` (W3C Trace Context) of the request that is being answered. It is passed on
 * to webhooks, so that what they do belongs to the trace of the client; extension API servers get
 * it with the other headers. Requests without it cost nothing.
 */
const current = new AsyncLocalStorage<string>()

/**
 * Answers a request as part of the trace that it names. What W3C does not define is not passed on.
 */
export function withTraceContext<T>(traceparent: string | undefined, answer: () => T): T {
  const span = traceparent === undefined ? undefined : parseTraceparent(traceparent)
  return span === undefined ? answer() : current.run(traceparentOf(span), answer)
}

/** Returns the headers with which a request to a webhook belongs to the same trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = current.getStore()
  return traceparent === undefined ? {} : { traceparent }
}
