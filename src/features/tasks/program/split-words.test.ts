import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { shellQuote } from '#qemu/index.ts'
import { splitWords } from './split-words.ts'

suite('splitWords', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    ['  \n ', []],
    ['--run-command uptime', ['--run-command', 'uptime']],
    ["--run-command 'echo a  b'", ['--run-command', 'echo a  b']],
    ['--write "/etc/motd:it\'s $HOME"', ['--write', "/etc/motd:it's $HOME"]],
    ['"a\\"b\\\\c\\d"', ['a"b\\c\\d']],
    ['a\\ b c', ['a b', 'c']],
    ['a\'b\'"c"d', ['abcd']],
    ['\'\' ""', ['', '']],
    ['a\\\nb', ['ab']],
    ['$(reboot) `reboot` *; reboot', ['$(reboot)', '`reboot`', '*;', 'reboot']],
  ]
  for (const [text, words] of cases)
    test(`${JSON.stringify(text)} is ${words.length} words`, () => assert.deepEqual(splitWords(text), words))

  for (const text of ["'", 'a "b', '\\', `a'b"`]) test(`${text} has no end`, () => assert.equal(splitWords(text), undefined))

  test('words that are quoted come back', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        assert.deepEqual(splitWords(words.map(shellQuote).join(' ')), words)
      }),
    )
  })
})
