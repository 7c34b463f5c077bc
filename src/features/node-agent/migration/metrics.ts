import { remainingBytes } from '#qemu/index.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { OutgoingMigration, Guest } from '../guest/guest.ts'

type Reading = (flight: OutgoingMigration) => number | undefined

/** KubeVirt's metric names, help texts and values. */
const readings: Readonly<Record<string, readonly [string, Reading]>> = {
  kubevirt_vmi_migration_data_bytes_total: ['Memory and disks to copy', ({ observed }) => totalBytes(observed)],
  kubevirt_vmi_migration_data_processed_bytes: ['Memory that was sent', ({ observed }) => observed.report.progress?.transferredBytes],
  kubevirt_vmi_migration_data_remaining_bytes: ['Memory and disks left to copy', ({ observed }) => remainingBytes(observed)],
  kubevirt_vmi_migration_dirty_memory_rate_bytes: [
    'Memory that the guest writes to in a second',
    ({ observed }) => observed.report.progress?.dirtyRate,
  ],
  kubevirt_vmi_migration_memory_transfer_rate_bytes: [
    'Memory that flows in a second',
    ({ observed }) => observed.report.progress?.bandwidth,
  ],
}

/** Defines gauges of outgoing migrations. The parallel migration limit bounds their cardinality. */
export function defineMigrationMetrics(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  list: () => Iterable<{ readonly namespace: string; readonly name: string; readonly guest: Pick<Guest, 'outgoing'> }>,
): void {
  for (const [metric, [help, read]] of Object.entries(readings)) {
    metrics.gaugeFrom({ name: metric, help, labels: ['namespace', 'name'] }, () =>
      [...list()].flatMap(({ namespace, name, guest: { outgoing: flight } }) => {
        const value = flight === undefined ? undefined : read(flight)
        return value === undefined ? [] : [[{ namespace, name }, value] as const]
      }),
    )
  }
}

function totalBytes({ report, copies }: OutgoingMigration['observed']): number {
  return copies.reduce((sum, copy) => sum + copy.totalBytes, report.progress?.totalBytes ?? 0)
}
