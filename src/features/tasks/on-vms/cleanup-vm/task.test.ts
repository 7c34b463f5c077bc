import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { addSecret, addVm, namesOf, powerOf, startTaskWorld, type TaskWorld } from '../../task-world.fixture.ts'
import { cleanupVm } from './task.ts'

suite('the task cleanup-vm', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
    await addVm(world, 'vm')
    await addSecret(world, 'login')
  })
  afterEach(() => world[Symbol.asyncDispose]())
  const parameters = { vmName: 'vm', secretName: 'login' }
  const fails = 'exit 3'

  for (const [title, changes, code, power] of [
    ['nothing else is asked for', {}, 0, ['stop']],
    ['the VM shall be deleted', { stop: 'false', delete: 'true' }, 0, ['delete']],
    ['it shall be stopped and deleted', { delete: 'true' }, 0, ['stop', 'delete']],
    ['the VM is gone', { vmName: 'absent', delete: 'true' }, 0, ['stop', 'delete']],
    ['a script succeeds', { script: 'true' }, 0, ['start', 'stop']],
    ['a script fails', { script: fails, delete: 'true' }, 3, ['start', 'stop', 'delete']],
    ['a script fails, and nothing shall be cleaned up', { script: fails, stop: 'false' }, 3, ['start']],
    ['the secret is missing', { script: fails, secretName: 'absent' }, 3, ['stop']],
    ['the script needs a secret that is not named', { script: fails, secretName: '' }, 2, ['stop']],
    ['there is nothing to do', { stop: 'false' }, 2, []],
    ['stop is neither true nor false', { stop: 'yes' }, 2, []],
    ['delete is neither true nor false', { delete: '1' }, 2, []],
    ['the limit is no duration', { timeout: '' + 'x' }, 2, []],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      world.answer = (command) => (command.at(-1) === fails ? 3 : 0)
      const end = await world.run(cleanupVm, { parameters: { ...parameters, ...changes } })
      assert.equal(end.code, code, end.log)
      assert.deepEqual(powerOf(world), power)
    })

  test('stops and deletes a VM whose script takes too long', async () => {
    world.answer = (_, signal) => {
      world.clock.advance(600_000)
      signal.throwIfAborted()
      return 0
    }
    const { code, log } = await world.run(cleanupVm, { parameters: { ...parameters, script: 'sleep 1000', timeout: '5m', delete: 'true' } })
    assert.equal(code, 5, log)
    assert.deepEqual(powerOf(world), ['start', 'stop', 'delete'])
    assert.deepEqual(namesOf(world, virtualMachines), [])
  })

  test('makes its requests, and waits for nothing, when it is asked to end', async () => {
    const stop = new AbortController()
    world.answer = () => {
      stop.abort(new Error('asked to end'))
      return 0
    }
    const end = await world.run(cleanupVm, { parameters: { ...parameters, script: 'true', delete: 'true' }, signal: stop.signal })
    assert.equal(end.code, 1, end.log)
    assert.deepEqual(powerOf(world), ['start', 'stop', 'delete'])
  })

  test('deletes also when the VM cannot be stopped, and fails then', async () => {
    const update = (): Promise<never> => Promise.reject(new TypeError('cannot stop'))
    const end = await world.run(cleanupVm, { parameters: { ...parameters, delete: 'true' }, client: { ...world.client, update } })
    assert.equal(end.code, 1, end.log)
    assert.deepEqual(namesOf(world, virtualMachines), [])
  })
})
