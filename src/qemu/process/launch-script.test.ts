import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { launchScript } from './launch-script.ts'

test('launchScript() passes every argument to the program unchanged', () => {
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

test('launchScript() runs the preceding commands first, and stops when one fails', () => {
  const run = (first: readonly string[]): string => {
    const { stdout } = spawnSync('/bin/sh', ['-c', launchScript('/bin/echo', ['guest'], [first])], { encoding: 'utf8' })
    return stdout
  }
  assert.equal(run(['printf', '%s\\n', "it's first"]), "it's first\nguest\n")
  assert.equal(run(['false']), '')
})
