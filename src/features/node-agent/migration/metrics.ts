import { remainingBytes } from '#qemu/index.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { OutgoingMigration, Guest } from '../guest/guest.ts'

type Reading = (flight: OutgoingMigration) => number | undefined

/** What the metrics are read from at each scrape. */
export interface OutgoingSources {
  readonly nodeName: string
  readonly guests: () => Iterable<{ readonly namespace: string; readonly name: string; readonly guest: Pick<Guest, 'outgoing'> }>
}

/**
 * Defines the metrics of outgoing migrations, with KubeVirt's names. The parallel migration limit
 * bounds their cardinality.
 */
export function defineMigrationMetrics(
  metrics: Pick<Metrics, 'gaugeFrom' | 'counterFrom'>,
  { nodeName: node, guests }: OutgoingSources,
): void {
  const labels = ['namespace', 'name', 'node']
  const each = (read: Reading) => (): Sample[] =>
    [...guests()].flatMap(({ namespace, name, guest: { outgoing: flight } }): Sample[] => {
      const value = flight === undefined ? undefined : read(flight)
      return value === undefined ? [] : [[{ namespace, name, node }, value]]
    })
  metrics.counterFrom(
    { name: 'kubevirt_vmi_migration_data_bytes_total', help: 'The total Guest OS data to be migrated to the new VM.', labels },
    each(({ observed }) => totalBytes(observed)),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_data_processed_bytes', help: 'The total Guest OS data processed and migrated to the new VM.', labels },
    each(({ observed }) => observed.report.progress?.transferredBytes),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_data_remaining_bytes', help: 'The remaining guest OS data to be migrated to the new VM.', labels },
    each(({ observed }) => remainingBytes(observed)),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_dirty_memory_rate_bytes', help: 'The rate of memory being dirty in the Guest OS.', labels },
    each(({ observed }) => observed.report.progress?.dirtyRate),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_memory_transfer_rate_bytes', help: 'The rate at which the memory is being transferred.', labels },
    each(({ observed }) => observed.report.progress?.bandwidth),
  )
}

function totalBytes({ report, copies }: OutgoingMigration['observed']): number {
  return copies.reduce((sum, copy) => sum + copy.totalBytes, report.progress?.totalBytes ?? 0)
}
