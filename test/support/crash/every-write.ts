import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { CrashPoint } from '#features/crashing-client.fixture.ts'
import { everyNth } from '../effort.ts'

/** Number of concurrent clusters: most of the time they wait. */
const concurrency = 6

/**
 * Runs a scenario with a crash before and after each of its writes, or of those that `strides`
 * selects. The scenario returns whether it crashed. `atLeast`: minimum number of its writes.
 */
export async function atEveryWrite(
  t: TestContext,
  strides: Parameters<typeof everyNth>[0],
  scenario: (crash: CrashPoint) => Promise<boolean>,
  atLeast: number,
): Promise<void> {
  const crashPoints = function* (): Generator<CrashPoint> {
    for (const write of everyNth(strides)) for (const moment of ['before', 'after'] as const) yield { write, moment }
  }
  const queue = crashPoints()
  let last = Infinity
  let crashes = 0
  const work = async (): Promise<void> => {
    for (const crash of queue) {
      if (crash.write > last) return
      const hasCrashed = await scenario(crash).catch((cause: unknown) => {
        throw new Error(`killed ${crash.moment} write ${crash.write}`, { cause })
      })
      if (hasCrashed) crashes += 1
      else last = Math.min(last, crash.write)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  assert.ok(last > atLeast, `only ${last} writes`)
  t.diagnostic(`${crashes} crashes`)
}
