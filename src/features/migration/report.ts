import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationCondition,
  VirtualMachineInstanceMigrationPhase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { timestamp } from '#runtime/clock.ts'
import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { Observed } from './step.ts'
import type { Ports } from './ports.ts'

/**
 * Says how far a migration is. At its end with a copy of the guest's own record, which the next
 * migration overwrites.
 */
export async function report(
  ports: Ports,
  { migration, vmi }: Observed,
  { phase, reason }: { readonly phase: VirtualMachineInstanceMigrationPhase; readonly reason?: string },
): Promise<void> {
  const { metadata, status } = migration
  if (status?.phase === phase) return
  const now = timestamp(ports.clock.now())
  const state = vmi?.status?.migrationState
  const isOver = phase === 'Succeeded' || phase === 'Failed'
  const isOwn = state !== undefined && state.migrationUid === metadata.uid
  const failure = { completed: true, failed: true, endTimestamp: now, ...(reason === undefined ? {} : { failureReason: reason }) }
  const { sourceState: _source, targetState: _target, ...record } = state ?? {}
  const migrationState = isOwn ? { ...record, ...(phase === 'Failed' ? failure : {}) } : failure
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      phase,
      phaseTransitionTimestamps: [...(status?.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: now }],
      // Whoever goes on has got room by now.
      ...(phase === 'Pending' ? {} : { conditions: removeCondition(status?.conditions, 'migrationRejectedByResourceQuota') }),
      ...(isOver ? { migrationState } : {}),
    },
  }
  const { namespace = '', name = '' } = metadata
  const key = { namespace, name }
  ports.own.note(await ports.client.patch(virtualMachineInstanceMigrations, key, { type: 'merge', body }, { subresource: 'status' }))
  ports.onPhase(phase, ports.clock.now() - Date.parse(metadata.creationTimestamp ?? now))
  if (phase === 'Succeeded') {
    ports.recorder.event(migration, 'Normal', 'SuccessfulMigration', `Source node reported migration succeeded`)
  }
  if (phase !== 'Failed') return
  ports.recorder.event(migration, 'Warning', 'FailedMigration', `Migration failed: ${reason ?? ''}`)
  if (!isOwn || state.abortRequested !== true) return
  if (state.abortStatus === 'Succeeded') ports.recorder.event(migration, 'Normal', 'SuccessfulAbortMigration', 'Migration was aborted')
  else ports.recorder.event(migration, 'Warning', 'FailedAbortMigration', 'Migration ended before it could be aborted')
}

/** Says what is in a migration's way; once. */
export async function reportCondition(
  { client, clock, own }: Ports,
  { metadata, status }: VirtualMachineInstanceMigration,
  condition: VirtualMachineInstanceMigrationCondition,
): Promise<void> {
  const conditions = setCondition(status?.conditions, condition, timestamp(clock.now()))
  if (deepEqual(conditions, status?.conditions)) return
  const { namespace = '', name = '', resourceVersion } = metadata
  const body = { metadata: { resourceVersion }, status: { conditions } }
  own.note(await client.patch(virtualMachineInstanceMigrations, { namespace, name }, { type: 'merge', body }, { subresource: 'status' }))
}
