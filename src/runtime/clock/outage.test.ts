import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { silentLogger, type Logger } from '../process/log.ts'
import { createOutage } from './outage.ts'

/** An outage with a clock to set, and the levels that it logged at. */
function setUp(graceMs?: number): { at: (ms: number) => void; levels: string[]; outage: ReturnType<typeof createOutage> } {
  let now = 1_000
  const levels: string[] = []
  const log: Logger = { ...silentLogger, debug: () => levels.push('debug'), warn: () => levels.push('warn') }
  const outage = createOutage({ clock: { now: () => now }, log, ...(graceMs === undefined ? {} : { graceMs }) })
  return { at: (ms) => (now = 1_000 + ms), levels, outage }
}

describe('an outage', () => {
  it('warns only when it lasts', () => {
    const { at, levels, outage } = setUp()
    for (const ms of [0, 9_999, 10_000, 60_000]) {
      at(ms)
      outage.failed({}, 'down')
    }
    assert.deepEqual(levels, ['debug', 'debug', 'warn', 'warn'])
  })

  it('starts over after a success', () => {
    const { at, levels, outage } = setUp(100)
    outage.failed({}, 'down')
    at(90)
    outage.ended()
    outage.failed({}, 'down')
    at(180)
    outage.failed({}, 'down')
    at(190)
    outage.failed({}, 'down')
    assert.deepEqual(levels, ['debug', 'debug', 'debug', 'warn'])
  })
})
