import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseWindows, windowAt, WindowInvalid } from './update-windows.ts'

// 2026-11-21 is a Saturday.
const at = (time: string): number => Date.parse(`2026-11-${time}Z`)
const iso = (ms: number): string => (ms === Infinity ? 'never' : new Date(ms).toISOString().slice(8, 16))

suite('windowAt()', () => {
  const rows: readonly (readonly [string, string, boolean, string])[] = [
    ['', '21T12:00', true, 'never'],
    ['Sat 10:00-14:00', '21T12:00', true, '21T14:00'],
    ['Sat 10:00-14:00', '21T09:59', false, '21T10:00'],
    ['Sat 10:00-14:00', '21T14:00', false, '28T10:00'],
    ['Fri 22:00-04:00', '21T03:59', true, '21T04:00'],
    ['Sun 22:00-04:00', '23T01:00', true, '23T04:00'],
    ['Sat-Sun 00:00-24:00', '21T12:00', true, '23T00:00'],
    ['Mon-Fri 22:00-04:00', '21T03:00', true, '21T04:00'],
    ['Mon-Fri 22:00-04:00', '21T05:00', false, '23T22:00'],
    ['Fri-Mon 08:00-09:00', '22T08:30', true, '22T09:00'],
    ['Sat 10:00-12:00; Sat 12:00-14:00', '21T11:00', true, '21T14:00'],
    ['Mon-Sun 00:00-24:00', '21T11:00', true, 'never'],
  ]
  for (const [text, time, isOpen, changesAt] of rows) {
    test(`"${text}" at ${time} is ${isOpen ? 'open' : 'closed'} until ${changesAt}`, () => {
      const found = windowAt(parseWindows(text), at(time))
      assert.deepEqual([found.isOpen, iso(found.changesAt)], [isOpen, changesAt])
    })
  }
})

test('parseWindows() refuses an invalid window', () => {
  for (const text of [
    'Sat',
    'Sat 10-12',
    'Sam 10:00-12:00',
    'Sat 10:00-10:00',
    'Sat 25:00-26:00',
    'Sat 10:61-12:00',
    'Sat 24:00-02:00',
    'always',
  ]) {
    assert.throws(() => parseWindows(text), WindowInvalid, text)
  }
})
