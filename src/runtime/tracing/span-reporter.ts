import { tracing, type RecordedSpan } from './tracing.ts'

/** Reports spans that are derived again and again from stored objects. */
export type SpanReporter = (spans: readonly RecordedSpan[]) => void

/**
 * Creates a reporter, which reports each span of the latest trace once. It forgets a trace when the
 * next one begins.
 */
export function createSpanReporter(record: (span: RecordedSpan) => void = (span) => tracing().record(span)): SpanReporter {
  const reported = new Set<string>()
  let latest: string | undefined
  return (spans) => {
    for (const span of spans) {
      if (span.traceId !== latest) reported.clear()
      latest = span.traceId
      if (reported.has(span.spanId)) continue
      reported.add(span.spanId)
      record(span)
    }
  }
}
