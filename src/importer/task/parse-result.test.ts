import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseResult } from './parse-result.ts'

const result = { reason: 'SourceUnreachable', message: 'check the address', fatal: false }

test('parseResult() finds the result of a worker, also at the end of its log', () => {
  const text = JSON.stringify(result)
  const digest = { ...result, digest: 'sha256:a', labels: { a: 'b' } }
  for (const [message, expected] of [
    [text, result],
    [`${text}\n`, result],
    [`ents:639:12)\\n at TLSSocket\n{"level":"info","msg":"a"}\n${text}\n`, result],
    [JSON.stringify(digest), digest],
    [undefined, undefined],
    ['', undefined],
    ['Killed', undefined],
    ['{"level":"info","msg":"a"}', undefined],
    ['[1]', undefined],
  ] as const)
    assert.deepEqual(parseResult(message), expected)
})
