import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Probe } from '#api/kubevirt/v1/probe.ts'
import type { GuestAgent } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { probeByAgent } from './probe-by-agent.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Probes an agent that answers by a function. */
function probe(settings: Probe, answer: (command: string, argument: unknown) => unknown): Promise<string | undefined> {
  const agent: GuestAgent = { execute: async (command, argument) => answer(command, argument), [Symbol.dispose]() {} }
  return probeByAgent(systemClock, (question) => question(agent), settings, new AbortController().signal)
}

suite('probeByAgent()', () => {
  test('pings', async () => {
    assert.equal(await probe({ guestAgentPing: {} }, () => ({})), undefined)
    const refuse = (): never => {
      throw new Error('the guest agent does not answer')
    }
    assert.equal(await probe({ guestAgentPing: {} }, refuse), 'the guest agent does not answer')
  })

  test('runs a command, and waits for its end', async () => {
    const asked: unknown[] = []
    const result = await probe({ exec: { command: ['/bin/check', '-v'] }, timeoutSeconds: 5 }, (command, argument) => {
      asked.push([command, argument])
      if (command === 'guest-exec') return { pid: 7 }
      return asked.length < 3 ? { exited: false } : { exited: true, exitcode: 0 }
    })
    assert.equal(result, undefined)
    const status = ['guest-exec-status', { pid: 7 }]
    assert.deepEqual(asked, [['guest-exec', { path: '/bin/check', arg: ['-v'], 'capture-output': true }], status, status])
  })

  const failures: readonly (readonly [string, unknown, string])[] = [
    [
      'an exit code',
      { exited: true, exitcode: 3, 'err-data': base64('no disk\nmore') },
      'the command in the guest ended with exit code 3: no disk',
    ],
    ['a signal', { exited: true, signal: 9 }, 'the command in the guest was killed by signal 9'],
    ['no end', { exited: false }, 'no answer of the guest within 0.3 s'],
    ['nonsense', 7, 'no answer of the guest within 0.3 s'],
  ]
  for (const [what, status, expected] of failures)
    test(`fails by ${what}`, async () => {
      const settings = { exec: { command: ['/bin/check'] }, timeoutSeconds: 0.3 }
      assert.equal(await probe(settings, (command) => (command === 'guest-exec' ? { pid: 7 } : status)), expected)
    })
})
