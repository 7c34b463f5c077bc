import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { migrationOf } from '../migration.fixture.ts'
import { defineMigrationMetrics } from './metrics.ts'
import { migrationTimes } from './times.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()

type State = NonNullable<NonNullable<VirtualMachineInstance['status']>['migrationState']>

function guest(name: string, migrationState?: State): VirtualMachineInstance {
  return {
    metadata: { name, namespace: 'n' },
    spec: { domain: { devices: {} } },
    status: { nodeName: 'b', phase: 'Running', ...(migrationState === undefined ? {} : { migrationState }) },
  }
}

const migration = (name: string, phase: string): VirtualMachineInstanceMigration =>
  migrationOf({ metadata: { name, namespace: 'n', uid: `uid-${name}` }, spec: { vmiName: 'web' }, status: { phase: phase as 'Running' } })

suite('migrationTimes()', () => {
  const rows: readonly (readonly [string, State, object])[] = [
    ['one that runs', { migrationUid: 'uid-m1', startTimestamp: at(10) }, { status: '', start: 10, end: undefined, name: 'm1' }],
    [
      'one that succeeded',
      { migrationUid: 'uid-m1', startTimestamp: at(10), endTimestamp: at(15), completed: true },
      { status: 'succeeded', start: 10, end: 15, name: 'm1' },
    ],
    [
      'one that failed, whose object is gone',
      { migrationUid: 'gone', startTimestamp: at(10), endTimestamp: at(15), completed: true, failed: true },
      { status: 'failed', start: 10, end: 15, name: '' },
    ],
  ]
  for (const [what, state, wanted] of rows) {
    test(`tells of ${what}`, () => {
      const times = migrationTimes({ migrations: () => [migration('m1', 'Running')], vmis: () => [guest('web', state), guest('db')] })
      const found = times.map(({ labels, ...rest }) => ({ ...rest, name: labels['migration_name'] }))
      assert.deepEqual(found, [wanted])
    })
  }
})

test('migrations are told apart by their phase, and ended ones by their name', async () => {
  const metrics = createMetrics()
  const phases = ['', 'Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running', 'Succeeded', 'Failed']
  const entered = defineMigrationMetrics(metrics, {
    migrations: () => phases.map((phase, index) => migration(`m${index}`, phase)),
    vmis: () => [guest('web', { migrationUid: 'uid-m7', startTimestamp: at(10), endTimestamp: at(15), completed: true })],
  })
  entered('Running', 35_000)
  const lines = (await metrics.metrics()).split('\n')
  const labels = 'node="b",namespace="n",name="web",migration_name="m7"'
  for (const line of [
    'kubevirt_vmi_migrations_in_unset_phase 1',
    'kubevirt_vmi_migrations_in_pending_phase 1',
    'kubevirt_vmi_migrations_in_scheduling_phase 1',
    'kubevirt_vmi_migrations_in_running_phase 4',
    'kubevirt_vmi_migration_succeeded{vmi="web",vmim="m7",namespace="n"} 1',
    'kubevirt_vmi_migration_failed{vmi="web",vmim="m8",namespace="n"} 1',
    `kubevirt_vmi_migration_start_time_seconds{${labels}} 10`,
    `kubevirt_vmi_migration_end_time_seconds{${labels},status="succeeded"} 15`,
    'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds_bucket{le="40",phase="Running"} 1',
    'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds_bucket{le="30",phase="Running"} 0',
  ]) {
    assert.ok(lines.includes(line), line)
  }
})
