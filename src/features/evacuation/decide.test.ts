import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { names, imageHash } from '#features/vmi/index.ts'
import { guest as vmiOf } from '#features/eviction/vmi.fixture.ts'
import { decide, type Guest, type Observed } from './decide.ts'
import { buildMigration } from './attempts/build-migration.ts'
import { migration, node } from './node.fixture.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const minute = 60_000
const none = { evictionStrategy: 'None' } as const
const marked = { evacuationNodeName: 'n1' }
const byDrain = { 'steadyvm.io/evacuated-from-cordoned': 'n1' }
const cordoned = node('n1', { spec: { unschedulable: true } })
const tainted = node('n1', { spec: { taints: [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }] } })
const open = node('n1')

function annotated(vmi: Guest['vmi'], annotations: Record<string, string>): Guest['vmi'] {
  return { ...vmi, metadata: { ...vmi.metadata, annotations } }
}

/** Runs decide() and returns the plan as words. */
function outcome(at: Node | undefined, guest: Partial<Guest>, changes: Partial<Observed> = {}): string {
  const whole = { vmi: vmiOf('LiveMigrate', true, marked), migrations: [], pods: 1, launcher: undefined, ...guest }
  const plan = decide({ nodeName: 'n1', node: at, others: [node('n2')], ...changes }, whole, none, now)
  if (plan === undefined) return 'ignore'
  const parts = [
    plan.migrates ? 'move' : '',
    plan.clearsMark ? 'release' : '',
    ...plan.cancelled.map(({ metadata }) => `cancel ${metadata.name}`),
    plan.obstacle?.reason ?? '',
    plan.recheckAt === undefined ? '' : `again in ${(plan.recheckAt - now) / 1000} s`,
  ]
  return parts.filter((part) => part !== '').join(', ') || 'nothing'
}

suite('decide(): a guest', () => {
  const moving = vmiOf('LiveMigrate', true, marked)
  const resting = vmiOf('LiveMigrate', true)
  const stuck = vmiOf('LiveMigrate', false)
  const drained = annotated(moving, byDrain)
  const rows: readonly (readonly [string, string, Node | undefined, Partial<Guest>, Partial<Observed>?])[] = [
    ['that was evicted moves', 'move', cordoned, { vmi: moving }],
    ['that was evicted moves also from a node that is not cordoned', 'move', open, { vmi: moving }],
    ['that was evicted moves also from a node that is gone', 'move', undefined, { vmi: moving }],
    ['that may be migrated leaves a node with the taint', 'move', tainted, { vmi: resting }],
    ['stays on a node that is only cordoned', 'nothing', cordoned, { vmi: resting }],
    ['that may be stopped is ignored, with or without the taint', 'nothing', tainted, { vmi: vmiOf('None', true) }],
    ['with eviction strategy External is ignored', 'nothing', cordoned, { vmi: vmiOf('External', true, marked) }],
    ['that is ending is ignored', 'ignore', tainted, { vmi: vmiOf('LiveMigrate', true, { ...marked, phase: 'Failed' }) }],
    [
      'that does not run yet delays the decision',
      'nothing',
      cordoned,
      { vmi: vmiOf('LiveMigrate', true, { ...marked, phase: 'Scheduled' }) },
    ],
    ['with a second pod waits until that is deleted', 'nothing', cordoned, { pods: 2 }],
    ['with a migration gets no second one', 'nothing', cordoned, { migrations: [migration('m', 'Running', now)] }],
    ['with a migration of a user gets no second one', 'nothing', cordoned, { migrations: [migration('m', 'Pending', now, '')] }],
    ['without a target node reports it', 'NoTarget, again in 30 s', cordoned, {}, { others: [] }],
    [
      'is not migrated to a cordoned node',
      'NoTarget, again in 30 s',
      cordoned,
      {},
      { others: [node('n2', { spec: { unschedulable: true } })] },
    ],
    ['is not migrated to a node that is not ready', 'NoTarget, again in 30 s', cordoned, {}, { others: [node('n2', { isReady: false })] }],
    ['that can be neither migrated nor stopped is reported as soon as its node is cordoned', 'NotMigratable', cordoned, { vmi: stuck }],
    ['the same with the taint', 'NotMigratable', tainted, { vmi: stuck }],
    ['the same when it has been evicted', 'NotMigratable', open, { vmi: vmiOf('LiveMigrate', false, marked) }],
    ['that can be neither migrated nor stopped is ignored on a schedulable node', 'nothing', open, { vmi: stuck }],
    [
      'with LiveMigrateIfPossible that cannot be migrated blocks nothing',
      'nothing',
      cordoned,
      { vmi: vmiOf('LiveMigrateIfPossible', false) },
    ],
    ['that was drained stays when its node is uncordoned', 'release', open, { vmi: drained }],
    ['that was evicted is migrated although its node is not cordoned', 'move', cordoned, { vmi: drained }],
    ['that was evicted is migrated while the taint exists', 'move', tainted, { vmi: drained }],
    [
      'with an early migration stays when its node is uncordoned',
      'release, cancel m',
      open,
      { vmi: drained, migrations: [migration('m', 'Scheduling', now)] },
    ],
    ['with an advanced migration continues', 'release', open, { vmi: drained, migrations: [migration('m', 'Running', now)] }],
    ['keeps the migration of a user', 'release', open, { vmi: drained, migrations: [migration('m', 'Pending', now, '')] }],
    ['whose eviction mark was removed stays', 'cancel m', open, { vmi: resting, migrations: [migration('m', 'Pending', now)] }],
    ['on another node has its mark cleared', 'release', cordoned, { vmi: vmiOf('LiveMigrate', true, { ...marked, nodeName: 'n2' }) }],
    [
      'that is being handed over is ignored until that is complete',
      'ignore',
      cordoned,
      { vmi: vmiOf('LiveMigrate', true, { ...marked, nodeName: 'n2' }), migrations: [migration('m', 'Running', now)] },
    ],
  ]
  for (const [name, wanted, at, guest, changes] of rows) test(name, () => assert.equal(outcome(at, guest, changes), wanted))

  test('is not migrated to a node whose agent is older than its launcher', () => {
    const vmi = vmiOf('LiveMigrate', true, { ...marked, launcherContainerImageVersion: 'virt-launcher:v2.0.0' })
    const labelled = node('n3', { labels: { [names.releaseLabel]: imageHash('virt-launcher:v2.0.0') } })
    assert.equal(outcome(cordoned, { vmi }), 'NoTarget, again in 30 s')
    const guest = { vmi, migrations: [], pods: 1, launcher: undefined }
    const plan = decide({ nodeName: 'n1', node: cordoned, others: [node('n2'), labelled] }, guest, none, now)
    const { addedNodeSelector } = buildMigration(guest, 'n1', plan?.selector).spec
    assert.deepEqual(addedNodeSelector, { [names.releaseLabel]: imageHash('virt-launcher:v2.0.0') })
  })

  test('is migrated to a node with the labels that its VMI requires', () => {
    const vmi = { ...moving, spec: { ...moving.spec, nodeSelector: { zone: 'b' } } }
    assert.equal(outcome(cordoned, { vmi }), 'NoTarget, again in 30 s')
    assert.equal(outcome(cordoned, { vmi }, { others: [node('n2', { labels: { zone: 'b' } })] }), 'move')
  })
})

suite('decide(): after failures', () => {
  const failed = (...minutesAgo: number[]) => minutesAgo.map((ago, index) => migration(`f${index}`, 'Failed', now - ago * minute))
  const rows: readonly (readonly [string, string, Guest['migrations']])[] = [
    ['the first one is retried after 20 seconds', 'again in 20 s', failed(0)],
    ['the delay starts with the failure', 'move', failed(1 / 3)],
    ['the second one after 40 seconds, with a report', 'MigrationFails, again in 40 s', failed(1, 0)],
    ['the fourth one after 160 seconds', 'MigrationFails, again in 160 s', failed(3, 2, 1, 0)],
    ['five of them pause it for an hour', 'MigrationFails, again in 3360 s', failed(4, 3, 2, 1, 0)],
    ['older failures do not count', 'MigrationFails, move'.split(', ').toReversed().join(', '), failed(70, 50, 40, 30, 20)],
    [
      'a success resets the count',
      'again in 20 s',
      [...failed(3, 2), migration('s', 'Succeeded', now - minute), migration('l', 'Failed', now)],
    ],
    ['migrations of users do not count', 'move', [migration('u', 'Failed', now, '')]],
  ]
  for (const [name, wanted, migrations] of rows) test(name, () => assert.equal(outcome(cordoned, { migrations }), wanted))

  test('reports the reason of the last failure', () => {
    const last = migration('l', 'Failed', now)
    const migrations = [...failed(1), { ...last, status: { ...last.status, migrationState: { failureReason: 'the disk is busy' } } }]
    const guest = { vmi: vmiOf('LiveMigrate', true, marked), migrations, pods: 1, launcher: undefined }
    const plan = decide({ nodeName: 'n1', node: cordoned, others: [node('n2')] }, guest, none, now)
    assert.match(plan?.obstacle?.message ?? '', /2 consecutive migrations .* the disk is busy; .* 2026-11-21T12:00:40Z/)
  })
})
