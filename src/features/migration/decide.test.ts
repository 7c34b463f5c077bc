import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstanceMigrationPhase as Phase } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { decide } from './decide.ts'
import type { Observed } from './step.ts'
import { guestOf, migrationOf, targetPod } from './migration.fixture.ts'

const begin = Date.parse('2026-01-01T00:00:00Z')
const waiting = targetPod({ phase: 'Pending' })
const homeless = targetPod({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' }],
})
const ready = targetPod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })
const at = (phase: Phase): Observed['migration'] => migrationOf({ status: { phase } })
const deleted = migrationOf({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
const moving = (state: VirtualMachineInstanceMigrationState, more: object = {}): Observed['vmi'] =>
  guestOf({ migrationState: { migrationUid: 'm1', sourceNode: 'a', targetNode: 'b', ...state }, ...more })

const dumped = guestOf({ volumeStatus: [{ name: 'dump', target: '', phase: 'MemoryDumpInProgress' }] })
const copied = guestOf({ steadyvm: { diskCopy: { id: 'one', snapshotName: 'snap', disks: [] } } })
const strayed = (state: VirtualMachineInstanceMigrationState): Observed['vmi'] => moving({ migrationUid: 'm0', ...state })
const flowing = { startTimestamp: 'now', targetNodeAddress: 'x' }
const goneSource = { ...flowing, abortRequested: true, sourceState: { steadyvm: { gone: true } } }
const silentSource = { source: true, target: false }
const silentTarget = { source: false, target: true }
const running: Partial<Observed> = { migration: at('Running'), target: ready }
const ended = targetPod({ phase: 'Failed' })
const requested = { type: 'migrationAbortRequested', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const
const aborted: Partial<Observed> = {
  migration: migrationOf({ status: { phase: 'TargetReady', conditions: [requested] } }),
  target: ready,
  vmi: moving({ ...flowing, abortRequested: true }),
}

interface Case extends Partial<Observed> {
  readonly afterSeconds?: number
}

function stepFor({ afterSeconds = 0, ...change }: Case): string {
  const observed: Observed = { migration: migrationOf(), vmi: guestOf(), target: undefined, wait: undefined, excess: [], ...change }
  const step = decide(observed, begin + afterSeconds * 1000)
  return 'phase' in step ? `${step.kind} ${step.phase}` : step.kind
}

const rows: readonly (readonly [string, string, Case])[] = [
  ['prepares a new migration', 'prepare', { migration: migrationOf({ metadata: { labels: {} } }) }],
  ['queues it first', 'enter Pending', {}],
  ['creates the target pod when a slot is free', 'createTarget', { migration: at('Pending') }],
  ['waits while disks of the guest are copied', 'wait', { migration: at('Pending'), vmi: copied }],
  ['waits while the memory of the guest is dumped', 'wait', { migration: at('Pending'), vmi: dumped }],
  ['waits with the target pod while the memory is dumped', 'wait', { migration: at('Scheduled'), target: ready, vmi: dumped }],
  ['waits with the target pod while disks of the guest are copied', 'wait', { migration: at('Scheduled'), target: ready, vmi: copied }],
  ['waits while no slot is free', 'wait', { migration: at('Pending'), wait: { ms: 5_000 } }],
  ['waits for a guest that is not running yet', 'none', { migration: at('Pending'), vmi: guestOf({ phase: 'Scheduled' }) }],
  ['fails without a guest', 'fail', { vmi: undefined }],
  ['fails with an ended guest', 'fail', { vmi: guestOf({ phase: 'Succeeded' }) }],
  ['fails with a guest that is not migratable', 'fail', { vmi: guestOf({ conditions: [{ type: 'LiveMigratable', status: 'False' }] }) }],
  ['waits for the target pod', 'enter Scheduling', { migration: at('Pending'), target: waiting }],
  ['gives an unscheduled pod 5 minutes', 'enter Scheduling', { migration: at('Scheduling'), target: homeless, afterSeconds: 299 }],
  ['and no more', 'fail', { migration: at('Scheduling'), target: homeless, afterSeconds: 301 }],
  ['gives a pod that does not start 15 minutes', 'enter Scheduling', { migration: at('Scheduling'), target: waiting, afterSeconds: 899 }],
  ['fails after 15 minutes', 'fail', { migration: at('Scheduling'), target: waiting, afterSeconds: 901 }],
  [
    'uses the annotation for the timeout',
    'fail',
    {
      migration: migrationOf({ metadata: { annotations: { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '10' } } }),
      target: homeless,
      afterSeconds: 11,
    },
  ],
  ['fails with the pod', 'fail', { migration: at('Scheduling'), target: targetPod({ phase: 'Failed' }) }],
  ['fails when the pod vanishes', 'fail', { migration: at('Scheduling') }],
  ['detects a ready pod', 'enter Scheduled', { migration: at('Scheduling'), target: ready }],
  ['does not migrate a guest to its own node', 'fail', { migration: at('Scheduled'), target: ready, vmi: guestOf({ nodeName: 'b' }) }],
  ['hands the guest over', 'handOver', { migration: at('Scheduled'), target: ready }],
  ['ends at once when it is deleted before the handover', 'fail', { migration: deleted, target: ready }],
  ['follows the status of the agents', 'enter PreparingTarget', { migration: at('Scheduled'), target: ready, vmi: moving({}) }],
  ['detects that the target listens', 'enter TargetReady', { target: ready, vmi: moving({ targetNodeAddress: 'x' }) }],
  [
    'fails when the agents do not answer',
    'requestAbort',
    {
      migration: migrationOf({
        status: { phaseTransitionTimestamps: [{ phase: 'PreparingTarget', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' }] },
      }),
      target: ready,
      vmi: moving({}),
      afterSeconds: 901,
    },
  ],
  ['detects the start of the transfer', 'enter Running', { target: ready, vmi: moving({ targetNodeAddress: 'x', startTimestamp: 'now' }) }],
  ['writes nothing twice', 'none', { migration: at('Running'), target: ready, vmi: moving({ startTimestamp: 'now' }) }],
  ['requests an abort from the source when it is deleted', 'requestAbort', { migration: deleted, target: ready, vmi: moving({}) }],
  ['asks once', 'enter PreparingTarget', { migration: deleted, target: ready, vmi: moving({ abortRequested: true }) }],
  [
    'requests no abort when the guest is already on the target',
    'enter Running',
    {
      migration: deleted,
      target: ready,
      vmi: moving({ startTimestamp: 'now' }, { nodeName: 'b' }),
    },
  ],
  ['requests an abort from the source when the target pod is deleted', 'requestAbort', { migration: at('Running'), vmi: moving({}) }],
  ['aborts when the agent of the target is silent', 'requestAbort', { target: ready, vmi: moving(flowing), silent: silentTarget }],
  [
    'does not abort when a silent target has the guest',
    'none',
    { ...running, vmi: moving(flowing, { nodeName: 'b' }), silent: silentTarget },
  ],
  ['aborts when the agent of the source is silent', 'requestAbort', { target: ready, vmi: moving(flowing), silent: silentSource }],
  ['waits one minute for the source', 'wait', { ...aborted, silent: silentSource, afterSeconds: 59 }],
  ['reports the end itself after that minute', 'conclude', { ...aborted, silent: silentSource, afterSeconds: 61 }],
  ['lets an active source report the end', 'enter Running', { ...aborted, afterSeconds: 61 }],
  ['reports for a source that has ended with its agent', 'sourceEnded', { ...aborted, source: ended, silent: silentSource }],
  ['once', 'conclude', { ...aborted, vmi: moving(goneSource), source: ended, silent: silentSource, afterSeconds: 61 }],
  ['does not report for a source with an active agent', 'none', { ...running, vmi: moving(flowing), source: ended }],
  ['aborts stale migrations first', 'endStray', { migration: at('Pending'), isOrphaned: true, vmi: strayed({}) }],
  [
    'waits for the abort of a stale migration',
    'wait',
    { migration: at('Pending'), isOrphaned: true, vmi: strayed({ abortRequested: true }) },
  ],
  [
    'does not wait for a stale migration with a silent source',
    'conclude',
    { migration: at('Pending'), isOrphaned: true, vmi: strayed({ abortRequested: true }), silent: silentSource },
  ],
  ['fails with the agents', 'fail', { migration: at('Running'), target: ready, vmi: moving({ completed: true, failed: true }) }],
  ['succeeds with them', 'enter Succeeded', { migration: at('Running'), target: ready, vmi: moving({ completed: true }) }],
  ['fails with the guest', 'fail', { migration: at('Running'), target: ready, vmi: moving({}, { phase: 'Failed' }) }],
  ['cleans up in the end', 'cleanUp', { migration: at('Failed'), target: ready }],
]

suite('decide()', () => {
  for (const [name, expected, situation] of rows) test(name, () => assert.equal(stepFor(situation), expected))
})
