import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** KubeVirt's names, and the phases that count for each. */
const gauges: Readonly<Record<string, readonly string[]>> = {
  unset: [''],
  pending: ['Pending'],
  scheduling: ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady'],
  running: ['Running'],
}

/** Defines what a scrape gets to know of migrations: numbers without names of guests, however many there are. */
export function defineMigrationMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, list: () => readonly VirtualMachineInstanceMigration[]): void {
  for (const [name, phases] of Object.entries(gauges)) {
    metrics.gaugeFrom({ name: `kubevirt_vmi_migrations_in_${name}_phase`, help: `Migrations that are ${name} now`, labels: [] }, () => [
      [{}, list().filter(({ status }) => phases.includes(status?.phase ?? '')).length],
    ])
  }
}
