import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { OutgoingStep } from '#qemu/index.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { Guest } from '#features/node-agent/guest/guest.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import type { SourceMigration } from './context.ts'
import { advanceSource } from './step.ts'

const begin = Date.parse('2026-01-01T00:00:00Z')

type Said = { readonly [F in keyof VirtualMachineInstanceMigrationState]: VirtualMachineInstanceMigrationState[F] | undefined }

/** A source whose QEMU must not be queried, or returns `taken` as its step. */
function sourceOf(state: Said, observed: Partial<SourceMigration['observed']> = {}, taken?: OutgoingStep) {
  const said: unknown[] = []
  let nowMs = begin
  const whole = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', targetNodeAddress: 'x', startTimestamp: 'then', ...state }
  const vmi = {
    metadata: { name: 'web', namespace: 'n', resourceVersion: '7' },
    spec: { domain: { devices: {} } },
    status: { phase: 'Running', nodeName: 'a', activePods: { p1: 'a', p2: 'b' }, migrationState: whole },
  } as VirtualMachineInstance
  const ports = {
    nodeName: 'a',
    client: { patch: async (_: unknown, __: unknown, { body }: { body: { status: object } }) => (said.push(body.status), vmi) },
    clock: { now: () => nowMs },
    recorder: { event: () => {} },
  } as unknown as Ports
  const query = async (): Promise<unknown> => (taken === undefined ? assert.fail('QEMU was asked') : { step: taken })
  const guest = Object.assign(new Guest('p1', launcherPaths('/pods', '/run', 'p1'), systemClock, () => {}), { query })
  const migration = {
    guest,
    record: { domain: { disks: [] } },
    vmi,
    state: whole,
    observed: { launcher: 'running', runState: 'postmigrate', stopSinceMs: undefined, ...observed },
  }
  return {
    said,
    step: (seconds: number) => {
      nowMs = begin + seconds * 1000
      return advanceSource(ports, migration as unknown as SourceMigration)
    },
  }
}

const released = { steadyvm: { launch: '{}', released: true } }

suite('a source that has released the guest', () => {
  test('revokes the release after ten seconds', async () => {
    const { step, said } = sourceOf({ sourceState: released })
    assert.deepEqual(await step(0), { again: false, result: { requeueAfterMs: 10_000 } })
    assert.deepEqual(await step(9), { again: false, result: { requeueAfterMs: 1_000 } })
    assert.deepEqual(said, [])
    await step(10)
    assert.deepEqual(said, [{ migrationState: { sourceState: { steadyvm: { revoked: true } } } }])
  })

  test('never revokes it in post-copy', async () => {
    const { step, said } = sourceOf({ mode: 'PostCopy', sourceState: released })
    await step(0)
    await step(1_000)
    assert.deepEqual(said, [])
  })

  test('reports the guest as lost when a post-copy target ends', async () => {
    const { step, said } = sourceOf({ mode: 'PostCopy', sourceState: released, targetState: { steadyvm: { gone: 'it crashed' } } })
    await step(0)
    const [{ phase, reason }] = said as [{ phase: string; reason: string }]
    assert.deepEqual([phase, reason], ['Failed', 'GuestLost'])
  })
})

suite('a source whose QEMU has ended', () => {
  const gone = { launcher: 'gone', runState: undefined } as const

  test('reports its end and gives a silent target five minutes', async () => {
    const first = sourceOf({ sourceState: { steadyvm: { launch: '{}' } } }, gone)
    await first.step(0)
    assert.deepEqual(first.said, [{ migrationState: { sourceState: { steadyvm: { gone: true } } } }])
    const { step, said } = sourceOf({ sourceState: { steadyvm: { launch: '{}', gone: true } } }, gone)
    await step(0)
    await step(299)
    assert.deepEqual(said, [])
    await step(300)
    assert.deepEqual(said, [{ migrationState: { sourceState: { steadyvm: { revoked: true } } } }])
  })

  for (const [name, state] of [
    ['has ended, too', { targetState: { steadyvm: { gone: 'it crashed' } } }],
    ['was given up', { sourceState: { steadyvm: { revoked: true } } }],
    ['never listened', { targetNodeAddress: undefined }],
  ] as const) {
    test(`fails the migration when the target ${name}`, async () => {
      const { step, said } = sourceOf(state, gone)
      await step(0)
      const [{ migrationState, activePods }] = said as [{ migrationState: VirtualMachineInstanceMigrationState; activePods: object }]
      assert.deepEqual([migrationState.completed, migrationState.failed], [true, true])
      assert.deepEqual(activePods, { p1: 'a', p2: null })
    })
  }
})

suite('a source that is aborted before the target listens', () => {
  for (const [name, sourceState] of [
    ['has not published its guest yet', undefined],
    ['has', { steadyvm: { launch: '{}' } }],
  ] as const) {
    test(`sends QEMU no command, whether it ${name}`, async () => {
      const state = { abortRequested: true, targetNodeAddress: undefined, startTimestamp: undefined, sourceState }
      const { step, said } = sourceOf(state, { runState: 'running' })
      await step(0)
      const [{ migrationState }] = said as [{ migrationState: VirtualMachineInstanceMigrationState }]
      assert.deepEqual([migrationState.failed, migrationState.abortStatus], [true, 'Succeeded'])
    })
  }
})

suite('a source whose target has ended', () => {
  const sourceState = { steadyvm: { launch: '{"runs":true}' } }
  const dead = { sourceState, targetState: { steadyvm: { gone: 'QEMU ended with exit code 1' } } }
  const asked = { ...dead, abortRequested: true }
  const cancelled: OutgoingStep = { kind: 'end', outcome: 'cancelled', reason: 'Live migration has been cancelled' }
  const failed: OutgoingStep = { kind: 'end', outcome: 'failed', reason: 'The guest was taken back' }
  const rows: readonly (readonly [string, Said, OutgoingStep, string | undefined, string])[] = [
    ['because it was aborted', asked, cancelled, 'Succeeded', 'Live migration has been cancelled'],
    ['before it was aborted', asked, failed, 'Failed', 'QEMU ended with exit code 1'],
    ['by itself', dead, failed, undefined, 'QEMU ended with exit code 1'],
    ['while an earlier agent aborted it for that', dead, cancelled, undefined, 'QEMU ended with exit code 1'],
  ]
  for (const [name, state, taken, abortStatus, reason] of rows) {
    test(`reports the outcome when it ended ${name}`, async () => {
      const { step, said } = sourceOf(state, { runState: 'running' }, taken)
      await step(0)
      const [{ migrationState }] = said as [{ migrationState: VirtualMachineInstanceMigrationState }]
      assert.deepEqual([migrationState.failed, migrationState.abortStatus, migrationState.failureReason], [true, abortStatus, reason])
    })
  }

  test('reports nothing until QEMU has cancelled the attempt', async () => {
    const { step, said } = sourceOf(asked, { runState: 'running' }, { kind: 'cancel' })
    await step(0)
    assert.deepEqual(said, [])
  })
})
