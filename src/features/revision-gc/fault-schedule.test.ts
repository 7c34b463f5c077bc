import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimGraceMs } from '#features/instancetype/index.ts'
import { FaultSchedule, type FaultPlan } from './fault-schedule.fixture.ts'
import { repeats, seed } from '#test/effort.ts'

const schedules = repeats({ default: 6, long: 200 })
const steps = 800

/** A failed schedule. The message names the seed that reproduces it. */
class ScheduleFailure extends Error {
  override readonly name = 'ScheduleFailure'
}

async function runSchedule(number: number, plan: FaultPlan): Promise<readonly string[]> {
  const schedule = new FaultSchedule(number, plan)
  await schedule.run(steps)
  await schedule.settle()
  return schedule.leftovers()
}

test(
  `no referenced shared revision is lost, and no unreferenced one is left: ${schedules} schedules from seed ${seed}`,
  { timeout: 60_000 + schedules * 2_000 },
  async () => {
    for (let number = seed; number < seed + schedules; number++) {
      try {
        assert.deepEqual(await runSchedule(number, { patienceMs: claimGraceMs / 2 - 1 }), [])
      } catch (cause) {
        throw new ScheduleFailure(`STEADYVM_SEED=${number}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
      }
    }
  },
)

test('fault schedules detect a process that takes longer than a claim is valid', async () => {
  // The first failing schedule is number 94.
  for (let number = 90; number < 3_000; number++) {
    try {
      await runSchedule(number, { patienceMs: 3 * claimGraceMs, haste: 20 })
    } catch (error) {
      return assert.match(String(error), /names shared-.* which is not there/)
    }
  }
  assert.fail('no schedule of thousands lost a revision')
})
