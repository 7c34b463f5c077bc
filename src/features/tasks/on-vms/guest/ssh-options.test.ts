import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TaskFailed } from '../../exit-codes.ts'
import { parseSshOptions } from './ssh-options.ts'

suite('parseSshOptions()', () => {
  for (const [text, port, words] of [
    ['', 22, []],
    ['-p 8022', 8022, []],
    ['-p8022 -C -vv', 8022, ['-C', '-vv']],
    ['-o Port=2222 -o "ConnectTimeout 5"', 2222, ['-o', 'ConnectTimeout 5']],
    ['-oServerAliveInterval=1 -c aes128-ctr', 22, ['-o', 'ServerAliveInterval=1', '-c', 'aes128-ctr']],
    ['-o StrictHostKeyChecking=accept-new', 22, ['-o', 'StrictHostKeyChecking=accept-new']],
  ] as const)
    test(`takes ${JSON.stringify(text)}`, () => assert.deepEqual(parseSshOptions(text), { port, words }))

  for (const text of [
    '-p',
    '-p 0',
    '-p 65536',
    '-o Port=ssh',
    '-J jump',
    '-o ProxyCommand=nc',
    '-o proxyjump=x',
    '-oHostName=elsewhere',
    '-F file',
    '-S none',
    'host',
    '-o',
    '-o =x',
    '"open',
  ])
    test(`refuses ${text}`, () => assert.throws(() => parseSshOptions(text), TaskFailed))
})
