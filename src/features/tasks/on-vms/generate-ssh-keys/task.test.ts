import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { secrets } from '#api/core/v1/resources.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { TaskFailed } from '../../exit-codes.ts'
import { addSecret, namesOf, startTaskWorld, type TaskWorld } from '../../task-world.fixture.ts'
import { parseConnectionOptions } from './connection-options.ts'
import { keygenOptions } from './make-keys.ts'
import { generateSshKeys } from './task.ts'

suite('the task generate-ssh-keys', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())
  const parameters = { publicKeySecretName: 'public', privateKeySecretName: 'private' }
  const valuesOf = (name: string): Readonly<Record<string, string>> => {
    const data = world.api.peek(secrets, 'default', name)?.data ?? {}
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
  }
  const results = (publicName: string, privateName: string): Readonly<Record<string, string>> => ({
    publicKeySecretName: publicName,
    publicKeySecretNamespace: 'default',
    privateKeySecretName: privateName,
    privateKeySecretNamespace: 'default',
  })

  for (const [title, changes, code] of [
    ['all is given', { privateKeyConnectionOptions: ['user:root'], additionalSSHKeygenOptions: '-t ed25519' }, 0],
    ['a name is invalid', { publicKeySecretName: 'A' }, 2],
    ['an option has no key', { privateKeyConnectionOptions: ['root'] }, 2],
    ['an option of ssh-keygen leads to another file', { additionalSSHKeygenOptions: '-f /tmp/x' }, 2],
    ['the private secret exists', { privateKeySecretName: 'present' }, 3],
    ['ssh-keygen fails', { additionalSSHKeygenOptions: '-b 1' }, 1],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      await addSecret(world, 'present')
      world.answer = (command) => (command.includes('1') ? 255 : 0)
      const end = await world.run(generateSshKeys, { parameters: { ...parameters, ...changes } })
      assert.equal(end.code, code, end.log)
      assert.deepEqual(end.results, code === 0 ? results('public', 'private') : {})
    })

  test('keeps what a public secret has, and writes the private one as execute-in-vm reads it', async () => {
    await addSecret(world, 'public', { mine: 'ssh-rsa MINE' })
    const options = ['user:fedora', 'host-public-key:ssh-rsa', 'AAAA']
    const end = await world.run(generateSshKeys, { parameters: { ...parameters, privateKeyConnectionOptions: options } })
    assert.equal(end.code, 0, end.log)
    const { mine, ...added } = valuesOf('public')
    assert.equal(mine, 'ssh-rsa MINE')
    assert.match(Object.keys(added).join(' '), /^id-rsa-[a-z0-9]{5}\.pub$/)
    assert.deepEqual(valuesOf('private'), { type: 'ssh', user: 'fedora', 'host-public-key': 'ssh-rsa AAAA', 'ssh-privatekey': 'PRIVATE\n' })
    assert.equal(world.api.peek(secrets, 'default', 'private')?.type, 'kubernetes.io/ssh-auth')
  })

  test('finds names of its own, others in another run', async () => {
    const first = await world.run(generateSshKeys)
    const second = await world.run(generateSshKeys, { environment: { STEADYVM_RUN: 'run-2' } })
    assert.match(first.results['privateKeySecretName'] ?? '', /^private-key-[a-z0-9]{5}$/)
    assert.equal(namesOf(world, secrets).length, 4)
    assert.notDeepEqual(first.results, second.results)
  })

  test('a run that was killed between any two writes is taken up: one pair of keys is left', async () => {
    for (const names of [parameters, {}])
      for (let write = 1; write <= 2; write += 1)
        for (const moment of ['before', 'after'] as const) {
          await using fresh = await startTaskWorld()
          const client = crashingClient(fresh.client, { write, moment }, () => {})
          assert.notEqual((await fresh.run(generateSshKeys, { parameters: names, client })).code, 0)
          const end = await fresh.run(generateSshKeys, { parameters: names })
          assert.equal(end.code, 0, end.log)
          assert.deepEqual(namesOf(fresh, secrets).toSorted(), [end.results['privateKeySecretName'], end.results['publicKeySecretName']])
          const stored = fresh.api.peek(secrets, 'default', end.results['publicKeySecretName'] ?? '')
          assert.equal(Object.keys(stored?.data ?? {}).length, 1)
        }
  })
})

suite('keygenOptions()', () => {
  for (const [text, user, options] of [
    ['', undefined, ['-t', 'rsa', '-b', '4096', '-N', '', '-C', 'default@generated']],
    ['-t ed25519', 'root', ['-N', '', '-C', 'root@generated', '-t', 'ed25519']],
    ['-b2048 -C "a b"', undefined, ['-t', 'rsa', '-N', '', '-b', '2048', '-C', 'a b']],
    [`-t rsa -N ''`, 'u', ['-b', '4096', '-C', 'u@generated', '-t', 'rsa', '-N', '']],
  ] as const)
    test(`completes ${JSON.stringify(text)}`, () => assert.deepEqual(keygenOptions(text, user), options))
  for (const text of ['-N secret', '-f x', '-l', '-y', 'word', '-t', '-R host', "'open"])
    test(`refuses ${text}`, () => assert.throws(() => keygenOptions(text, undefined), TaskFailed))
})

suite('parseConnectionOptions()', () => {
  for (const [words, options] of [
    [[], {}],
    [['user:root', 'additional-ssh-options:-p 8022'], { user: 'root', 'additional-ssh-options': '-p 8022' }],
    [['additional-ssh-options:-p', '8022'], { 'additional-ssh-options': '-p 8022' }],
    [['a:b:c'], { a: 'b:c' }],
  ] as const)
    test(JSON.stringify(words), () => assert.deepEqual(parseConnectionOptions(words), options))
  for (const words of [['x'], ['user:a', 'user:b'], ['ssh-privatekey:x']])
    test(`refuses ${JSON.stringify(words)}`, () => assert.throws(() => parseConnectionOptions(words), TaskFailed))
})
