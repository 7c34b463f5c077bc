import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'

/** Caches that the metrics are read from at each scrape. */
export interface MigrationSources {
  readonly migrations: () => readonly VirtualMachineInstanceMigration[]
  readonly vmis: () => readonly VirtualMachineInstance[]
}

/** Defines the metrics of when guests were migrated last. KubeVirt's names and labels. */
export function defineMigrationTimes(metrics: Pick<Metrics, 'gaugeFrom'>, sources: MigrationSources): void {
  const labels = ['node', 'namespace', 'name', 'migration_name']
  metrics.gaugeFrom({ name: 'kubevirt_vmi_migration_start_time_seconds', help: 'The time at which the migration started.', labels }, () =>
    migrationTimes(sources).flatMap((times) => sample(times.labels, times.start)),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_end_time_seconds', help: 'The time at which the migration ended.', labels: [...labels, 'status'] },
    () => migrationTimes(sources).flatMap((times) => sample({ ...times.labels, status: times.status }, times.end)),
  )
}

/** Times of a guest's last migration. */
export interface MigrationTimes {
  readonly labels: Labels
  /** `succeeded` or `failed`; empty until it is complete. */
  readonly status: string
  /** Seconds since the epoch. */
  readonly start: number | undefined
  readonly end: number | undefined
}

/** Returns the last migration of each guest that was migrated. Pure. */
export function migrationTimes({ migrations, vmis }: MigrationSources): MigrationTimes[] {
  const migrated = vmis().filter(({ status }) => status?.migrationState != null)
  if (migrated.length === 0) return []
  const names = new Map(migrations().map(({ metadata: { uid = '', name = '' } }) => [uid, name]))
  return migrated.map(({ metadata: { namespace = '', name = '' }, status }: VirtualMachineInstance) => {
    const { migrationUid = '', startTimestamp, endTimestamp, completed, failed } = status?.migrationState ?? {}
    return {
      labels: { node: status?.nodeName ?? '', namespace, name, migration_name: names.get(migrationUid) ?? '' },
      status: completed === true ? (failed === true ? 'failed' : 'succeeded') : '',
      start: secondsOf(startTimestamp),
      end: secondsOf(endTimestamp),
    }
  })
}

function secondsOf(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

function sample(labels: Labels, value: number | undefined): Sample[] {
  return value === undefined ? [] : [[labels, value]]
}
