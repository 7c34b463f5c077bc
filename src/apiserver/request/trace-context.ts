import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Header `traceparent` (W3C Trace Context) of the request that is being answered. It is passed on
 * to webhooks, so that what they do belongs to the trace of the client; extension API servers get
 * it with the other headers. Requests without it cost nothing.
 */
const current = new AsyncLocalStorage<string>()

/** The header as W3C defines it; anything else is not passed on. */
const form = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

/** Answers a request as part of the trace that it names. */
export function withTraceContext<T>(traceparent: string | undefined, answer: () => T): T {
  return traceparent !== undefined && form.test(traceparent) ? current.run(traceparent, answer) : answer()
}

/** Returns the headers with which a request to a webhook belongs to the same trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = current.getStore()
  return traceparent === undefined ? {} : { traceparent }
}
