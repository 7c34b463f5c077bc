import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { migrationOf } from '../migration.fixture.ts'
import { defineMigrationTimes, migrationTimes } from './times.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()

function begun(name: string, vmiName: string, second: number, endSecond?: number): VirtualMachineInstanceMigration {
  const state = { startTimestamp: at(second), sourceNode: 'a', targetNode: 'b' }
  return migrationOf({
    metadata: { name, namespace: 'n', creationTimestamp: at(second - 1) },
    spec: { vmiName },
    status: {
      phase: endSecond === undefined ? 'Running' : 'Succeeded',
      phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: at(second) }],
      ...(endSecond === undefined ? {} : { migrationState: { ...state, endTimestamp: at(endSecond) } }),
    },
  })
}

suite('migrationTimes()', () => {
  test('returns the last migration of each guest', () => {
    const times = migrationTimes([begun('m1', 'web', 10, 15), begun('m2', 'web', 20), begun('m3', 'db', 12, 17)])
    assert.deepEqual(
      times.map(({ labels, start, end }) => [labels['migration_name'], start, end]),
      [
        ['m2', 20, undefined],
        ['m3', 12, 17],
      ],
    )
  })

  test('leaves out migrations that have not begun', () => {
    assert.deepEqual(migrationTimes([migrationOf({ status: { phase: 'Pending' } })]), [])
  })

  test('is limited to the guests that were migrated last', () => {
    const all = Array.from({ length: 700 }, (_, index) => begun(`m${index}`, `vm${index}`, 1_000 + index, 2_000))
    const times = migrationTimes(all)
    assert.deepEqual([times.length, times[0]?.labels['name'], times.at(-1)?.labels['name']], [500, 'vm699', 'vm200'])
  })

  test('is exported as metrics', async () => {
    const metrics = createMetrics()
    defineMigrationTimes(metrics, () => [begun('m1', 'web', 10, 15)])
    const text = await metrics.metrics()
    const labels = 'namespace="n",name="web",node="b",migration_name="m1"'
    assert.ok(text.includes(`kubevirt_vmi_migration_start_time_seconds{${labels}} 10\n`), text)
    assert.ok(text.includes(`kubevirt_vmi_migration_end_time_seconds{${labels},status="Succeeded"} 15\n`), text)
  })
})
