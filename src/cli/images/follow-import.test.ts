import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume, DataVolumeStatus } from '#api/cdi/v1beta1/data-volume.ts'
import { notFound } from '#apimachinery/errors.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { Client } from '#client/client.ts'
import { testContext } from '../cli-context.fixture.ts'
import { CommandError } from '../context.ts'
import { describeProgress, followDataVolume } from './follow-import.ts'
import { dataVolumeOf } from './image-world.fixture.ts'

/** A client whose DataVolume goes through these states, 1 s each. */
function stepsOf(test: ReturnType<typeof testContext>, states: readonly (DataVolumeStatus | undefined)[]): Pick<Client, 'get'> {
  let step = 0
  return {
    get: async () => {
      test.nowMs += 1000
      const status = states[Math.min(step, states.length - 1)]
      step += 1
      if (status === undefined) throw notFound(dataVolumes, 'fedora')
      // The only kind that is asked for.
      return dataVolumeOf('fedora', { status }) as never
    },
  }
}

suite('followDataVolume()', () => {
  const follow = (
    states: readonly (DataVolumeStatus | undefined)[],
    { isAborted = false, mayComeLater = false } = {},
  ): { readonly printed: { stderr: string }; readonly done: Promise<DataVolume> } => {
    const made = testContext({ isTTY: true })
    const context = { ...made.context, signal: isAborted ? AbortSignal.abort() : made.context.signal }
    const client = stepsOf(made, states)
    const done = followDataVolume(context, {
      client,
      key: { namespace: 'ns', name: 'fedora' },
      deadline: 5_000,
      holds: ({ status }) => status?.phase === 'Succeeded',
      meanwhile: 'the import goes on',
      remedy: 'remove it',
      mayComeLater,
    })
    return { printed: made.printed, done }
  }
  const exitCode =
    (code: number, message: RegExp) =>
    (error: unknown): boolean =>
      error instanceof CommandError && error.exitCode === code && message.test(error.message)

  test('shows a bar on standard error, and the reason of a failed attempt', async () => {
    const { printed, done } = follow([
      { phase: 'ImportScheduled' },
      { phase: 'ImportInProgress', progress: '50.0%' },
      { phase: 'ImportInProgress', restartCount: 1, conditions: [{ type: 'Running', status: 'False', message: 'answered 404' }] },
      { phase: 'Succeeded' },
    ])
    await done
    assert.match(printed.stderr, /fedora: ImportInProgress \[#{10}-{10}\] +50 %/)
    assert.match(printed.stderr, /note: attempt 1 has failed, and it is tried again: answered 404\n/)
  })
  test('a failure is an error with its reason', async () => {
    const { done } = follow([{ phase: 'Failed', conditions: [{ type: 'Running', status: 'False', message: 'no image' }] }])
    await assert.rejects(done, exitCode(1, /has failed: no image; remove it/))
  })
  test('Ctrl-C says that the import goes on', async () => {
    await assert.rejects(follow([{ phase: 'ImportInProgress' }], { isAborted: true }).done, exitCode(1, /Interrupted.*the import goes on/))
  })
  test('ends at the deadline with 124', async () => {
    await assert.rejects(follow([{ phase: 'ImportInProgress' }]).done, exitCode(124, /Timed out at ImportInProgress: the import goes on/))
  })
  test('waits for a DataVolume that comes later, and for no other', async () => {
    await follow([undefined, { phase: 'Succeeded' }], { mayComeLater: true }).done
    await assert.rejects(follow([undefined]).done, exitCode(1, /has been deleted/))
  })
})

test('describeProgress() has a bar once there is a number', () => {
  assert.equal(describeProgress('a', dataVolumeOf('a', { status: { phase: 'ImportScheduled', progress: 'N/A' } })), 'a: ImportScheduled')
})
