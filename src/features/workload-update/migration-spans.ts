import type { UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { chooseKubeVirt, kubeVirtsIn } from '#features/cluster-config/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import { spanIdOf, upgradeSpanId } from '#runtime/tracing/span-id.ts'
import { createSpanReporter } from '#runtime/tracing/span-reporter.ts'
import type { RecordedSpan } from '#runtime/tracing/tracing.ts'
import { updateNames } from './names.ts'

/**
 * Reports the migrations of guests to a new launcher as spans of the upgrade that brought it. Only
 * called where tracing is on.
 */
export function traceMigrations(informers: InformerSet): void {
  const kubevirts = kubeVirtsIn(informers)
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const reportOnce = createSpanReporter()
  const report = (some: readonly VirtualMachineInstanceMigration[]): void => {
    const upgrade = chooseKubeVirt(kubevirts.list())?.status?.steadyvm?.lastUpgrade
    if (upgrade !== undefined) reportOnce(some.flatMap((migration) => spanOfMigration(migration, upgrade) ?? []))
  }
  migrations.onEvent(({ object }) => {
    if (object !== undefined) report([object])
  })
  // After a restart the migrations may be read before the upgrade.
  let latest: string | undefined
  kubevirts.onEvent(({ object }) => {
    const trace = object?.status?.steadyvm?.lastUpgrade?.traceID
    if (trace !== latest) report(migrations.list())
    latest = trace
  })
}

/**
 * Returns the span of a migration that an upgrade has caused; undefined while it goes on. Derived
 * from stored objects, so that a restarted process reports the same one. Pure.
 */
export function spanOfMigration(
  migration: VirtualMachineInstanceMigration,
  { traceID: traceId, startedAt }: Pick<UpgradeRecord, 'traceID' | 'startedAt'>,
): RecordedSpan | undefined {
  const { metadata, spec, status } = migration
  const { uid = '', namespace = '', creationTimestamp = '', annotations = {} } = metadata
  if (!isMigrationFinal(migration) || annotations[updateNames.migrationAnnotation] === undefined) return undefined
  const endMs = Date.parse(status?.migrationState?.endTimestamp ?? lastTransition(migration) ?? creationTimestamp)
  const startMs = Date.parse(creationTimestamp)
  if (Number.isNaN(endMs) || startMs < Date.parse(startedAt)) return undefined
  const { sourceNode = '', targetNode = '', failureReason = '' } = status?.migrationState ?? {}
  return {
    name: 'migrate guest',
    traceId,
    spanId: spanIdOf(traceId, 'migration', uid),
    parentId: upgradeSpanId(traceId),
    startMs,
    endMs: Math.max(startMs, endMs),
    attributes: {
      'k8s.namespace.name': namespace,
      'steadyvm.object.name': spec.vmiName ?? '',
      'steadyvm.migration.source': sourceNode,
      'steadyvm.migration.target': targetNode,
    },
    ...(status?.phase === 'Failed' ? { failure: failureReason === '' ? 'the migration failed' : failureReason } : {}),
  }
}

function lastTransition({ status }: VirtualMachineInstanceMigration): string | undefined {
  return status?.phaseTransitionTimestamps?.at(-1)?.phaseTransitionTimestamp
}
