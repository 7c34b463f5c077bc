import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { OutgoingPlan } from '#qemu/index.ts'
import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import type { Progress } from '../act.ts'
import { endingOf, type Observed } from '../decide.ts'
import type { Guest } from '../guest.ts'
import type { Ports } from '../ports.ts'
import { readHandedLaunch } from './handed-launch.ts'
import { copiedDisks, limitsOf, settingsOf, streams } from './settings.ts'

/** Milliseconds that QEMU may take for a step: connections to the target are made in some. */
export const stepTimeoutMs = 20_000
/** Milliseconds between two looks at a stream that flows. */
const lookAgainMs = 100

/** A guest that is to leave this node. */
export interface Leaving {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
  readonly state: VirtualMachineInstanceMigrationState
  readonly observed: Pick<Observed, 'launcher' | 'runState' | 'stopSinceMs'>
}

/** What the source's QEMU is to be told of this attempt. */
export function planOf({ migrationCertificates }: Pick<Ports, 'migrationCertificates'>, leaving: Leaving): OutgoingPlan {
  const { state, record } = leaving
  const at = (stream: string): number => state.targetDirectMigrationNodePorts?.[stream] ?? 0
  const host = state.targetNodeAddress ?? ''
  return {
    id: state.migrationUid ?? '',
    memory: { kind: 'tcp', host, port: at(streams.memory) },
    storage: { kind: 'tcp', host, port: at(streams.storage) },
    settings: settingsOf(state, 'source', migrationCertificates),
    disks: copiedDisks(record.domain),
    limits: limitsOf(state),
    runs: ranBefore(state),
    cancel: isCancelled(leaving),
    startedMs: Date.parse(state.startTimestamp ?? ''),
  }
}

/** Whether the guest ran when it was decided to move it. */
export function ranBefore({ sourceState }: VirtualMachineInstanceMigrationState): boolean {
  const text = sourceState?.steadyvm?.launch
  return text === undefined || readHandedLaunch(text).runs
}

/**
 * Whether somebody has changed their mind, or wants the guest to end, or it has ended by itself.
 */
export function isCancelled({ state, observed }: Leaving): boolean {
  const hasEnded = observed.runState !== undefined && endingOf(observed.runState) !== undefined
  return hasEnded || state.abortRequested === true || observed.stopSinceMs !== undefined
}

/** Comes back soon. */
export function look(): Progress {
  return { again: false, result: recheckIn(lookAgainMs) }
}

/** Comes back when something changes. */
export function stop(): Progress {
  return { again: false, result: done }
}
