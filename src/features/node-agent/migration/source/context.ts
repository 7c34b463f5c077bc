import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { OutgoingPlan } from '#qemu/index.ts'
import { endingOf } from '#features/node-agent/guest/ending.ts'
import type { Observed } from '#features/node-agent/guest/observe.ts'
import type { Guest } from '#features/node-agent/guest/guest.ts'
import type { Ports } from '#features/node-agent/guest/ports.ts'
import { certificatesInView } from '../handed-certificates.ts'
import { copiedDisks, limitsOf, settingsOf, streams } from '../settings.ts'
import { ranBefore } from '../source-launch.ts'

/** A guest with an outgoing migration. */
export interface SourceMigration {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
  readonly observed: Pick<Observed, 'launcher' | 'runState' | 'stopSinceMs'>
}

/** Builds QEMU's plan for this attempt. */
export function planOf({ migrationCertificates }: Pick<Ports, 'migrationCertificates'>, migration: SourceMigration): OutgoingPlan {
  const { state, record, guest } = migration
  const at = (stream: string): number => state.targetDirectMigrationNodePorts?.[stream] ?? 0
  const host = state.targetNodeAddress ?? ''
  return {
    id: state.migrationUid ?? '',
    memory: { kind: 'tcp', host, port: at(streams.memory) },
    storage: { kind: 'tcp', host, port: at(streams.storage) },
    settings: settingsOf(state, 'source', certificatesInView({ paths: guest.paths, record }, migrationCertificates)),
    disks: copiedDisks(record.domain),
    limits: limitsOf(state),
    runs: ranBefore(state),
    cancel: isCancelled(migration),
    startedMs: Date.parse(state.startTimestamp ?? ''),
  }
}

/**
 * Reports whether the migration must be aborted: on request, by deletion, or since the guest
 * ended.
 */
export function isCancelled({ state, observed }: SourceMigration): boolean {
  const hasEnded = observed.runState !== undefined && endingOf(observed.runState) !== undefined
  return hasEnded || state.abortRequested === true || observed.stopSinceMs !== undefined
}
