import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { addSecret, addVm, connection, guest, powerOf, startTaskWorld, type TaskWorld } from '../../task-world.fixture.ts'
import { executeInVm } from './task.ts'

suite('the task execute-in-vm', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
    await addVm(world, 'vm')
    await addSecret(world, 'login')
  })
  afterEach(() => world[Symbol.asyncDispose]())
  const parameters = { vmName: 'vm', secretName: 'login', script: 'echo hello\nexit 0' }

  for (const [title, changes, code] of [
    ['the script succeeds', {}, 0],
    ['words of a command are given', { script: '', command: ['ls', '-l'], args: ['/'] }, 0],
    ['the VM is missing', { vmName: 'absent' }, 3],
    ['the name of the VM is missing', { vmName: '' }, 2],
    ['the name of the VM is invalid', { vmName: 'A' }, 2],
    ['there is nothing to run', { script: ' ' }, 2],
    ['command and script are given', { command: ['ls'] }, 2],
    ['the secret is not named', { secretName: '' }, 2],
    ['the secret is missing', { secretName: 'absent' }, 3],
    ['the script is longer than a command line', { script: 'x'.repeat(200_000) }, 2],
    ['the limit is no duration', { startTimeout: '1' }, 2],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      const { code: found, log } = await world.run(executeInVm, { parameters: { ...parameters, ...changes } })
      assert.equal(found, code, log)
    })

  for (const [title, keys, isComplete] of [
    ['of another type', { ...connection, type: 'winrm' }, false],
    ['without a type', without('type'), true],
    ['without a user', without('user'), false],
    ['whose user is an option', { ...connection, user: '-oProxyCommand=x' }, false],
    ['without a key', without('ssh-privatekey'), false],
    ['with the other name of the key', { ...without('ssh-privatekey'), 'ssh-private-key': 'KEY' }, true],
    ['without a key of the host', without('disable-strict-host-key-checking'), false],
    ['with a key of the host', { ...without('disable-strict-host-key-checking'), 'host-public-key': 'ssh-rsa AAAA' }, true],
    ['that is neither strict nor not', { ...connection, 'disable-strict-host-key-checking': 'maybe' }, false],
    ['with options that lead elsewhere', { ...connection, 'additional-ssh-options': '-J jump' }, false],
  ] as const)
    test(`${isComplete ? 'takes' : 'refuses, before the guest starts,'} a secret ${title}`, async () => {
      await addSecret(world, 'other', keys)
      const { code, log } = await world.run(executeInVm, { parameters: { ...parameters, secretName: 'other' } })
      assert.equal(code === 0, isComplete, log)
      assert.deepEqual(powerOf(world), isComplete ? ['start'] : [])
    })

  test('passes the script as one word, the key as a private file, and the exit code on', async () => {
    let files: readonly string[] = []
    let folder = ''
    world.answer = async (command) => {
      const identity = command.find((word) => word.startsWith('IdentityFile='))?.slice('IdentityFile='.length) ?? ''
      folder = dirname(identity)
      files = await readdir(folder)
      return command.at(-1) === 'true' ? 0 : 42
    }
    const { code, log } = await world.run(executeInVm, { parameters: { ...parameters, script: 'echo "a  b"; exit 42' } })
    assert.equal(code, 42, log)
    assert.deepEqual(files.toSorted(), ['key', 'known_hosts'])
    await assert.rejects(readdir(folder), { code: 'ENOENT' })
    assert.equal(world.commands.at(-1)?.at(-1), 'echo "a  b"; exit 42')
    assert.ok(!world.commands.flat().includes('KEY'))
  })

  test('starts no guest that runs', async () => {
    await world.api.create(virtualMachineInstances, guest('vm', 'Running'))
    const { code, log } = await world.run(executeInVm, { parameters })
    assert.equal(code, 0, log)
    assert.deepEqual(powerOf(world), [])
  })

  test('waits for a guest that refuses the key for a while, and not for ever', async () => {
    let tries = 0
    world.answer = () => ((tries += 1) < 4 ? 255 : 0)
    assert.equal((await world.run(executeInVm, { parameters })).code, 0)
    world.answer = () => 255
    const { code, log } = await world.run(executeInVm, { parameters })
    assert.equal(code, 5, log)
    assert.match(log, /ssh cannot log in/)
  })

  test('waits for an SSH server, and not for ever', async () => {
    world.banner = 'HTTP/1.1 400'
    const { code, log } = await world.run(executeInVm, { parameters: { ...parameters, startTimeout: '10s' } })
    assert.equal(code, 5, log)
    assert.deepEqual(world.commands, [])
  })

  test('ends with 5 when the guest does not start, and says what state it is in', async () => {
    await world.api.create(virtualMachines, { metadata: { namespace: 'default', name: 'slow' }, spec: {} } as never)
    await world.api.create(virtualMachineInstances, guest('slow', 'Scheduling'))
    const { code, log } = await world.run(executeInVm, { parameters: { ...parameters, vmName: 'slow', startTimeout: '5m' } })
    assert.equal(code, 5, log)
    assert.match(log, /Scheduling/)
  })
})

function without(key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(connection).filter(([name]) => name !== key))
}
