import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceUsage } from '#features/guest-access/index.ts'
import { conflict, forbidden, internalError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { CommandError } from '../context.ts'
import { readUsage } from './read-usage.ts'

const subject = { group: 'kubevirt.io', plural: 'virtualmachineinstances' } as const
const never = new AbortController().signal

/** `answers`: what the node agent says, by the name of the VMI. */
function clientOf(answers: Readonly<Record<string, 'usage' | 'halted' | Error>>): Pick<Client, 'get' | 'list'> {
  return {
    list: async () => ({
      metadata: {},
      items: Object.entries(answers).map(([name, answer]) => ({
        metadata: { namespace: 'shop', name },
        status: { phase: answer === 'halted' ? 'Scheduled' : 'Running' },
      })),
    }),
    get: async (_resource: unknown, { name }: { readonly name: string }) => {
      const answer = answers[name]
      if (answer instanceof Error) throw answer
      return { run: name } as VirtualMachineInstanceUsage
    },
  } as unknown as Pick<Client, 'get' | 'list'>
}

suite('readUsage()', () => {
  test('asks for each guest that runs; one that fails, or has ended meanwhile, holds up no other', async () => {
    const client = clientOf({
      web: 'usage',
      starts: 'halted',
      ended: conflict(subject, 'ended', 'x'),
      hangs: internalError('QEMU does not answer'),
    })
    const { readings, failures } = await readUsage(client, { namespace: 'shop', names: [] }, never)
    assert.deepEqual([...readings.keys()], ['shop/web'])
    assert.equal(failures.length, 1)
    assert.match(failures[0] ?? '', /^shop\/hangs: .*QEMU does not answer/)
  })

  test('names the right that is missing', async () => {
    const client = clientOf({ web: forbidden(subject, 'web', 'no') })
    await assert.rejects(
      readUsage(client, { namespace: 'shop', names: [] }, never),
      (error: unknown) =>
        error instanceof CommandError && /virtualmachineinstances\/usage/.test(error.message) && /view/.test(error.message),
    )
  })

  test('refuses a VM without a guest', async () =>
    assert.rejects(readUsage(clientOf({ web: 'usage' }), { namespace: 'shop', names: ['wep'] }, never), /shop\/wep/))
})
