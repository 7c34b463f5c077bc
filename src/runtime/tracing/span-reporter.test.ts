import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSpanReporter } from './span-reporter.ts'
import type { RecordedSpan } from './tracing.ts'

const span = (traceId: string, spanId: string): RecordedSpan => ({ name: spanId, traceId, spanId, startMs: 0, endMs: 1, attributes: {} })

test('a span of a trace is recorded once, and the next trace begins anew', () => {
  const recorded: string[] = []
  const report = createSpanReporter(({ traceId, spanId }) => recorded.push(`${traceId} ${spanId}`))
  report([span('a', '1')])
  report([span('a', '1'), span('a', '2')])
  report([])
  report([span('a', '2')])
  report([span('b', '1'), span('b', '1')])
  assert.deepEqual(recorded, ['a 1', 'a 2', 'b 1'])
})
