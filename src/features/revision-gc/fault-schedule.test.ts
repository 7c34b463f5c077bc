import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimGraceMs } from '#features/instancetype/index.ts'
import { FaultSchedule, type FaultPlan } from './fault-schedule.fixture.ts'
import { repeats, seed } from '#test/effort.ts'

const schedules = repeats({ default: 10, long: 200 })
const steps = 800

/** A storm has found something. The message names the seed that finds it again. */
class StormDamage extends Error {
  override readonly name = 'StormDamage'
}

async function passThrough(number: number, weather: FaultPlan): Promise<readonly string[]> {
  const storm = new FaultSchedule(number, weather)
  await storm.run(steps)
  await storm.settle()
  return storm.leftovers()
}

test(`no referenced shared revision is lost, and no unreferenced one is left: ${schedules} schedules from seed ${seed}`, async () => {
  for (let number = seed; number < seed + schedules; number++) {
    try {
      assert.deepEqual(await passThrough(number, { patienceMs: claimGraceMs / 2 - 1 }), [])
    } catch (cause) {
      throw new StormDamage(`STEADYVM_SEED=${number}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }
})

test('fault schedules detect a process that takes longer than a claim is valid', async () => {
  // The first of these storms that finds it is number 94.
  for (let number = 90; number < 3_000; number++) {
    try {
      await passThrough(number, { patienceMs: 3 * claimGraceMs, haste: 20 })
    } catch (error) {
      return assert.match(String(error), /names shared-.* which is not there/)
    }
  }
  assert.fail('nothing was lost in thousands of storms')
})
