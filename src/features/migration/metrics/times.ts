import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'

/**
 * So many guests are told of, the last that were moved: each costs two series, and a cluster has
 * thousands.
 */
const mostGuests = 500

/** Defines what a scrape gets to know of when guests were moved last. KubeVirt's names. */
export function defineMigrationTimes(metrics: Pick<Metrics, 'gaugeFrom'>, list: () => readonly VirtualMachineInstanceMigration[]): void {
  const start = {
    name: 'kubevirt_vmi_migration_start_time_seconds',
    help: 'When the last migration of a guest began, in seconds since 1970',
  }
  const end = { name: 'kubevirt_vmi_migration_end_time_seconds', help: 'When the last migration of a guest ended, in seconds since 1970' }
  const labels = ['namespace', 'name', 'node', 'migration_name']
  metrics.gaugeFrom({ ...start, labels }, () => migrationTimes(list()).flatMap((times) => sample(times, times.start)))
  metrics.gaugeFrom({ ...end, labels: [...labels, 'status'] }, () =>
    migrationTimes(list()).flatMap((times) => sample({ ...times, labels: { ...times.labels, status: times.status } }, times.end)),
  )
}

/** When a guest was moved last. */
export interface MigrationTimes {
  readonly labels: Labels
  readonly status: string
  /** Seconds since 1970. */
  readonly start: number | undefined
  readonly end: number | undefined
}

/**
 * Of each guest its last migration that began, and of all of those the last that were asked for.
 */
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

/**
 * While it is under way, only its phases say when it began: the guest's own record is copied at the
 * end.
 */
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
