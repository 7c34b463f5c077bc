import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { observePhaseTimes, phaseTimesOf } from './phase-times.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()
type Phase = NonNullable<NonNullable<VirtualMachineInstance['status']>['phase']>

function guest(phase: Phase | undefined, entered: Readonly<Record<string, number>>, deletedAt?: number): VirtualMachineInstance {
  return {
    metadata: { name: 'web', creationTimestamp: at(100), ...(deletedAt === undefined ? {} : { deletionTimestamp: at(deletedAt) }) },
    spec: { domain: { devices: {} } },
    status: {
      ...(phase === undefined ? {} : { phase }),
      phaseTransitionTimestamps: Object.entries(entered).map(([name, second]) => ({
        phase: name as Phase,
        phaseTransitionTimestamp: at(second),
      })),
    },
  }
}

suite('phaseTimesOf()', () => {
  const pending = guest('Pending', { Pending: 101 })
  const running = guest('Running', { Pending: 101, Running: 108 })
  const rows: readonly (readonly [string, VirtualMachineInstance, VirtualMachineInstance, object | undefined])[] = [
    ['the same phase', running, running, undefined],
    ['the first phase', guest(undefined, {}), pending, { phase: 'Pending', lastPhase: '', fromLast: 1, fromCreation: 1 }],
    ['the next one', pending, running, { phase: 'Running', lastPhase: 'Pending', fromLast: 7, fromCreation: 8 }],
    [
      'the last one of a deleted guest',
      running,
      guest('Succeeded', { Running: 108, Succeeded: 150 }, 140),
      { phase: 'Succeeded', lastPhase: 'Running', fromLast: 42, fromCreation: 50, fromDeletion: 10 },
    ],
    [
      'a deleted guest that still starts',
      pending,
      guest('Running', { Pending: 101, Running: 108 }, 105),
      {
        phase: 'Running',
        lastPhase: 'Pending',
        fromLast: 7,
        fromCreation: 8,
      },
    ],
    [
      'a clock that is behind',
      pending,
      guest('Running', { Pending: 101, Running: 90 }),
      {
        phase: 'Running',
        lastPhase: 'Pending',
        fromLast: 0,
        fromCreation: 0,
      },
    ],
    ['a phase without a time', pending, guest('Running', { Pending: 101 }), { phase: 'Running', lastPhase: 'Pending' }],
  ]
  for (const [what, old, vmi, wanted] of rows) test(what, () => assert.deepEqual(phaseTimesOf(old, vmi), wanted))
})

test('observePhaseTimes() counts changes, and not what was there before', async () => {
  const metrics = createMetrics()
  const listeners: ((event: CacheEvent<VirtualMachineInstance>) => void)[] = []
  observePhaseTimes(metrics, {
    onEvent: (listener) => {
      listeners.push(listener)
      return { [Symbol.dispose]: () => {} }
    },
  })
  const [pending, running] = [guest('Pending', { Pending: 101 }), guest('Running', { Pending: 101, Running: 108 })]
  for (const listener of listeners) {
    listener({ type: 'added', object: running })
    listener({ type: 'updated', old: pending, object: running })
    listener({ type: 'updated', old: running, object: running })
    listener({ type: 'deleted', object: running })
  }
  const text = await metrics.metrics()
  for (const line of [
    'kubevirt_vmi_phase_transition_time_seconds_bucket{le="5",phase="Running",last_phase="Pending"} 0',
    'kubevirt_vmi_phase_transition_time_seconds_bucket{le="10",phase="Running",last_phase="Pending"} 1',
    'kubevirt_vmi_phase_transition_time_from_creation_seconds_count{phase="Running"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), text)
  }
  assert.ok(!text.includes('from_deletion_seconds_count'))
})
