import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceparent, traceparentOf } from './traceparent.ts'

test('traceparent is read as W3C says, and what is malformed is nothing', () => {
  const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 }
  assert.deepEqual(parseTraceparent(traceparentOf(ids)), ids)
  assert.deepEqual(parseTraceparent(`cc-${ids.traceId}-${ids.spanId}-00-later`), { ...ids, traceFlags: 0 })
  for (const malformed of [
    undefined,
    '',
    ['a', 'b'],
    `ff-${ids.traceId}-${ids.spanId}-01`,
    `00-${'0'.repeat(32)}-${ids.spanId}-01`,
    `00-${ids.traceId}-${'0'.repeat(16)}-01`,
    `00-${ids.traceId.toUpperCase()}-${ids.spanId}-01`,
    `00-${ids.traceId}-${ids.spanId}`,
  ])
    assert.equal(parseTraceparent(malformed), undefined, String(malformed))
})
