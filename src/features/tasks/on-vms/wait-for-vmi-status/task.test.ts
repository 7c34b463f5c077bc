import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { guest, keyFor, startTaskWorld, type TaskEnd, type TaskWorld } from '../../task-world.fixture.ts'
import { waitForVmiStatus } from './task.ts'

suite('the task wait-for-vmi-status', () => {
  let world: TaskWorld
  before(async () => {
    world = await startTaskWorld()
    for (const phase of ['Running', 'Failed']) await world.api.create(virtualMachineInstances, guest(phase.toLowerCase(), phase))
  })
  after(() => world[Symbol.asyncDispose]())
  const run = (parameters: Readonly<Record<string, string>>): Promise<TaskEnd> => world.run(waitForVmiStatus, { parameters })
  const [runs, fails] = ['status.phase == Running', 'status.phase in (Failed, Unknown)']

  for (const [title, parameters, code] of [
    ['the success condition is met', { vmiName: 'running', successCondition: runs }, 0],
    ['both conditions are met', { vmiName: 'running', successCondition: runs, failureCondition: runs }, 0],
    ['the failure condition is met', { vmiName: 'failed', successCondition: runs, failureCondition: fails }, 2],
    ['there is no condition', { vmiName: 'absent' }, 0],
    ['a condition is invalid', { vmiName: 'running', successCondition: 'in (' }, 2],
    ['the name is missing', { successCondition: runs }, 2],
    ['the name is invalid', { vmiName: 'Upper_case', successCondition: runs }, 2],
    ['the limit is no duration', { vmiName: 'running', successCondition: runs, timeout: 'soon' }, 2],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      const { code: found, log } = await run(parameters)
      assert.equal(found, code, log)
    })

  test('sees a state that lasts for one change only, of a VMI that did not exist', async () => {
    const end = run({ vmiName: 'late', successCondition: 'status.phase == Succeeded' })
    await untilWatched(world)
    for (const phase of ['Scheduling', 'Succeeded']) {
      await world.api.create(virtualMachineInstances, guest('late', phase))
      await world.api.delete(virtualMachineInstances, keyFor('late'))
    }
    const { code, log } = await end
    assert.equal(code, 0, log)
    assert.match(log, /does not exist[\s\S]*Scheduling/)
  })

  test('goes on when the API server does not answer for a while', async () => {
    const end = run({ vmiName: 'later', successCondition: runs })
    await untilWatched(world)
    world.api.reachable = false
    world.api.wake()
    await new Promise((resolve) => setTimeout(resolve, 20))
    world.api.reachable = true
    await world.api.create(virtualMachineInstances, guest('later', 'Running'))
    const { code, log } = await end
    assert.equal(code, 0, log)
    assert.match(log, /does not answer/)
  })

  test('ends with 5 at its limit, and says so meanwhile', async () => {
    const end = run({ vmiName: 'running', failureCondition: fails, timeout: '2m' })
    await untilWatched(world)
    world.clock.advance(120_000)
    const { code, log } = await end
    assert.equal(code, 5, log)
    assert.ok((log.match(/Waiting for/g) ?? []).length > 3, log)
  })

  test('ends when it is asked to', async () => {
    const stop = new AbortController()
    const end = world.run(waitForVmiStatus, { parameters: { vmiName: 'running', failureCondition: fails }, signal: stop.signal })
    await untilWatched(world)
    stop.abort(new Error('asked to end'))
    assert.equal((await end).code, 1)
  })
})

/** Waits for the next watch. */
async function untilWatched({ api }: TaskWorld): Promise<void> {
  const count = (): number => api.calls.filter(({ verb }) => verb === 'watch').length
  const before = count()
  while (count() === before) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
