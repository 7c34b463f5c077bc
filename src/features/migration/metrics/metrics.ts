import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineMigrationTimes } from './times.ts'

/** KubeVirt's metric names, and the phases that count for each. */
const gauges: Readonly<Record<string, readonly string[]>> = {
  unset: [''],
  pending: ['Pending'],
  scheduling: ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady'],
  running: ['Running'],
}

/** Seconds: from a small guest between idle nodes to one of a terabyte that waited in the queue. */
const buckets = [0.5, 1, 2.5, 5, 10, 30, 60, 150, 300, 900, 3600, 14_400] as const

/** Called for each phase that a migration enters, with the milliseconds since its creation. */
export type OnPhase = (phase: string, sinceCreationMs: number) => void

/**
 * Defines the metrics of migrations. Counts have no guest names, so that their number is constant.
 */
export function defineMigrationMetrics(
  metrics: Pick<Metrics, 'gaugeFrom' | 'counter' | 'histogram'>,
  list: () => readonly VirtualMachineInstanceMigration[],
): OnPhase {
  for (const [name, phases] of Object.entries(gauges)) {
    metrics.gaugeFrom({ name: `kubevirt_vmi_migrations_in_${name}_phase`, help: `Migrations that are ${name} now`, labels: [] }, () => [
      [{}, list().filter(({ status }) => phases.includes(status?.phase ?? '')).length],
    ])
  }
  defineMigrationTimes(metrics, list)
  const succeeded = metrics.counter({ name: 'kubevirt_vmi_migration_succeeded', help: 'Migrations that succeeded', labels: [] })
  const failed = metrics.counter({ name: 'kubevirt_vmi_migration_failed', help: 'Migrations that failed', labels: [] })
  const seconds = metrics.histogram({
    name: 'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds',
    help: 'Seconds from the creation of a migration until it enters the phase',
    labels: ['phase'],
    buckets,
  })
  return (phase, sinceCreationMs) => {
    seconds({ phase }).observe(sinceCreationMs / 1000)
    if (phase === 'Succeeded') succeeded().add()
    if (phase === 'Failed') failed().add()
  }
}
