import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'

/**
 * Number of guests with these metrics: each costs two series, and a cluster has thousands of
 * guests.
 */
const mostGuests = 500

/** Defines the metrics of when guests were migrated last. KubeVirt's names. */
export function defineMigrationTimes(metrics: Pick<Metrics, 'gaugeFrom'>, list: () => readonly VirtualMachineInstanceMigration[]): void {
  const start = {
    name: 'kubevirt_vmi_migration_start_time_seconds',
    help: 'Start of the last migration of a guest, in seconds since the epoch',
  }
  const end = { name: 'kubevirt_vmi_migration_end_time_seconds', help: 'End of the last migration of a guest, in seconds since the epoch' }
  const labels = ['namespace', 'name', 'node', 'migration_name']
  metrics.gaugeFrom({ ...start, labels }, () => migrationTimes(list()).flatMap((times) => sample(times, times.start)))
  metrics.gaugeFrom({ ...end, labels: [...labels, 'status'] }, () =>
    migrationTimes(list()).flatMap((times) => sample({ ...times, labels: { ...times.labels, status: times.status } }, times.end)),
  )
}

/** Times of a guest's last migration. */
export interface MigrationTimes {
  readonly labels: Labels
  readonly status: string
  /** Seconds since the epoch. */
  readonly start: number | undefined
  readonly end: number | undefined
}

/** Returns the last migration of each guest that has begun; the most recently created ones only. */
export function migrationTimes(migrations: readonly VirtualMachineInstanceMigration[]): MigrationTimes[] {
  const byAge = migrations.filter((migration) => startOf(migration) !== undefined).toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
  const told = new Set<string>()
  const last = byAge.filter(({ metadata, spec }) => {
    const guest = `${metadata.namespace ?? ''}/${spec.vmiName ?? ''}`
    if (told.has(guest) || told.size >= mostGuests) return false
    told.add(guest)
    return true
  })
  return last.map((migration) => {
    const { metadata, spec, status } = migration
    const { sourceNode, targetNode, endTimestamp } = status?.migrationState ?? {}
    const node = (status?.phase === 'Succeeded' ? targetNode : sourceNode) ?? ''
    return {
      labels: { namespace: metadata.namespace ?? '', name: spec.vmiName ?? '', node, migration_name: metadata.name ?? '' },
      status: status?.phase ?? '',
      start: startOf(migration),
      end: secondsOf(endTimestamp),
    }
  })
}

/** Reads phases of an active migration: the VMI's own record is copied only at the end. */
function startOf({ status }: VirtualMachineInstanceMigration): number | undefined {
  const running = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp
  return secondsOf(status?.migrationState?.startTimestamp ?? running)
}

function secondsOf(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : ms / 1000
}

function keyOf({ metadata }: VirtualMachineInstanceMigration): string {
  return `${metadata.creationTimestamp ?? ''}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

function sample({ labels }: Pick<MigrationTimes, 'labels'>, value: number | undefined): (readonly [Labels, number])[] {
  return value === undefined ? [] : [[labels, value]]
}
