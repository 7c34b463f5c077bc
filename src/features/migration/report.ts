import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationCondition,
  VirtualMachineInstanceMigrationPhase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Observed } from './step.ts'
import type { Ports } from './ports.ts'

/**
 * Writes the phase of a migration. At the end, adds a copy of the VMI's migration state, which the
 * next migration overwrites.
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
  const isFinal = isMigrationFinal({ status: { phase } })
  const isOwn = state !== undefined && state.migrationUid === metadata.uid
  const failure = { completed: true, failed: true, endTimestamp: now, ...(reason === undefined ? {} : { failureReason: reason }) }
  const { sourceState: _source, targetState: _target, ...record } = state ?? {}
  const migrationState = isOwn ? { ...record, ...(phase === 'Failed' ? failure : {}) } : failure
  const change = {
    phase,
    phaseTransitionTimestamps: [...(status?.phaseTransitionTimestamps ?? []), { phase, phaseTransitionTimestamp: now }],
    // A migration that goes on has passed the quota.
    ...(phase === 'Pending' ? {} : { conditions: removeCondition(status?.conditions, 'migrationRejectedByResourceQuota') }),
    ...(isFinal ? { migrationState } : {}),
  }
  ports.own.note(await patchStatus(ports.client, virtualMachineInstanceMigrations, migration, change))
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

/** Adds a condition, unless the migration has it. */
export async function reportCondition(
  { client, clock, own }: Ports,
  migration: VirtualMachineInstanceMigration,
  condition: VirtualMachineInstanceMigrationCondition,
): Promise<void> {
  const conditions = setCondition(migration.status?.conditions, condition, timestamp(clock.now()))
  own.note(await patchStatus(client, virtualMachineInstanceMigrations, migration, { conditions }))
}
