import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { CrashPoint } from '#features/crashing-client.fixture.ts'
import { everyNth } from '../effort.ts'

/** Clusters at once: most of the time they wait. */
const together = 6

/**
 * Runs a scenario with a death before and after each of its writes, or of those that `strides`
 * selects. It says whether it came to the death. `atLeast`: how many writes it must have.
 */
export async function atEveryWrite(
  t: TestContext,
  strides: Parameters<typeof everyNth>[0],
  scenario: (death: CrashPoint) => Promise<boolean>,
  atLeast: number,
): Promise<void> {
  const deaths = function* (): Generator<CrashPoint> {
    for (const write of everyNth(strides)) for (const moment of ['before', 'after'] as const) yield { write, moment }
  }
  const queue = deaths()
  let last = Infinity
  let died = 0
  const work = async (): Promise<void> => {
    for (const death of queue) {
      if (death.write > last) return
      const isDead = await scenario(death).catch((cause: unknown) => {
        throw new Error(`killed ${death.moment} write ${death.write}`, { cause })
      })
      if (isDead) died += 1
      else last = Math.min(last, death.write)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  assert.ok(last > atLeast, `only ${last} writes`)
  t.diagnostic(`${died} deaths`)
}
