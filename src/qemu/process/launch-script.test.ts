import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { launchScript } from './launch-script.ts'

test('launchScript() hands every argument to the program unchanged', () => {
  const word = fc.string({ maxLength: 30 }).filter((text) => !text.includes('\0'))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const script = launchScript('/usr/bin/printf', ['%s\\0', ...words])
      const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
      assert.equal(output, words.length === 0 ? '\0' : words.map((text) => `${text}\0`).join(''))
    }),
    { numRuns: 40 },
  )
})
