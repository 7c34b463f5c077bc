import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import type { OutgoingMigration } from '../guest/guest.ts'
import { defineMigrationMetrics } from './metrics.ts'

test('reports guests with an outgoing migration only', async () => {
  const progress = { totalBytes: 100, remainingBytes: 40, transferredBytes: 60, dirtyRate: 7, bandwidth: 9, rounds: 1 }
  const copy = { node: 'disk-a', state: 'copying', totalBytes: 50, remainingBytes: 20 } as const
  const flight: OutgoingMigration = {
    observed: { report: { status: 'active', progress, blockers: [] }, runState: 'running', copies: [copy], note: undefined },
  }
  const metrics = createMetrics()
  defineMigrationMetrics(metrics, {
    nodeName: 'n1',
    guests: () => [
      { namespace: 'n', name: 'moves', guest: { outgoing: flight } },
      { namespace: 'n', name: 'stays', guest: { outgoing: undefined } },
    ],
  })
  const text = await metrics.metrics()
  const of = (name: string): string | undefined =>
    new RegExp(`^kubevirt_vmi_migration_${name}\\{[^}]*name="moves",node="n1"\\} (\\S+)$`, 'm').exec(text)?.[1]
  assert.deepEqual(['data_bytes_total', 'data_processed_bytes', 'data_remaining_bytes', 'dirty_memory_rate_bytes'].map(of), [
    '150',
    '60',
    '60',
    '7',
  ])
  assert.doesNotMatch(text, /stays/)
})
