/** Ids of a span that another process has begun. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
  /** 1 if its trace is recorded. */
  readonly traceFlags: number
}

/**
 * Reads the header `traceparent` of W3C Trace Context. Undefined for what is malformed, as clients
 * choose it freely.
 */
export function parseTraceparent(value: string | readonly string[] | undefined): SpanIds | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    typeof value === 'string' ? (/^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(value) ?? []) : []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}

/** Returns the header for requests that are part of a span. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanIds): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString().padStart(2, '0')}`
}
