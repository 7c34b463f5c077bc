import type { Sample } from '#runtime/metrics/exposition.ts'
import { phaseBuckets } from '#runtime/metrics/durations.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineMigrationTimes, type MigrationSources } from './times.ts'

/** Phases that count as running: the target is being prepared, or receives the guest. */
const underWay: readonly string[] = ['Running', 'Scheduled', 'PreparingTarget', 'TargetReady', 'WaitingForSync', 'Synchronizing']

/** Called for each phase that a migration enters, with the milliseconds since its creation. */
export type OnPhase = (phase: string, sinceCreationMs: number) => void

/** Defines the metrics of migrations, with KubeVirt's names, labels and phases. */
export function defineMigrationMetrics(metrics: Pick<Metrics, 'gaugeFrom' | 'histogram'>, { migrations, vmis }: MigrationSources): OnPhase {
  const count = (phases: readonly string[]) => (): Sample[] => [
    [{}, migrations().filter(({ status }) => phases.includes(status?.phase ?? '')).length],
  ]
  const ended = (phase: string) => (): Sample[] =>
    migrations().flatMap(({ metadata: { name: vmim = '', namespace = '' }, spec: { vmiName: vmi = '' }, status }): Sample[] =>
      status?.phase === phase ? [[{ vmi, vmim, namespace }, 1]] : [],
    )
  metrics.gaugeFrom({ name: 'kubevirt_vmi_migrations_in_pending_phase', help: 'Number of current pending migrations.' }, count(['Pending']))
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migrations_in_scheduling_phase', help: 'Number of current scheduling migrations.' },
    count(['Scheduling']),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_migrations_in_unset_phase',
      help: 'Number of current unset migrations. These are pending items the virt-controller hasn’t processed yet from the queue.',
    },
    count(['']),
  )
  metrics.gaugeFrom({ name: 'kubevirt_vmi_migrations_in_running_phase', help: 'Number of current running migrations.' }, count(underWay))
  const labels = ['vmi', 'vmim', 'namespace']
  metrics.gaugeFrom(
    { name: 'kubevirt_vmi_migration_succeeded', help: 'Indicates if the VMI migration succeeded.', labels },
    ended('Succeeded'),
  )
  metrics.gaugeFrom({ name: 'kubevirt_vmi_migration_failed', help: 'Indicates if the VMI migration failed.', labels }, ended('Failed'))
  defineMigrationTimes(metrics, { migrations, vmis })
  const seconds = metrics.histogram({
    name: 'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds',
    help: 'Histogram of VM migration phase transitions duration from creation time in seconds.',
    labels: ['phase'],
    buckets: phaseBuckets,
  })
  return (phase, sinceCreationMs) => seconds({ phase }).observe(sinceCreationMs / 1000)
}
