import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cronScheduleFault } from './cron-schedule.ts'

suite('cronScheduleFault()', () => {
  for (const good of ['* * * * *', '*/5 0-6,12 1 jan-Mar MON', '@daily', '@every 1h30m', '0 0 ? * 6', '5/15 * * * *']) {
    test(`accepts ${good}`, () => assert.equal(cronScheduleFault(good), undefined))
  }

  const bad: readonly [string, string][] = [
    ['never', 'expected exactly 5 fields, found 1: [never]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ]
  for (const [schedule, fault] of bad) test(`${schedule}: ${fault}`, () => assert.equal(cronScheduleFault(schedule), fault))
})
