import type { Pod } from '#api/core/v1/pod.ts'
import type {
  VirtualMachineInstanceMigration,
  VirtualMachineInstanceMigrationPhase as Phase,
} from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { hasEnded, isUp, names, unschedulable } from '#features/vmi/index.ts'
import { isOver } from './queue.ts'

/** What is known of a migration. Times are milliseconds since the epoch. */
export interface Observed {
  readonly migration: VirtualMachineInstanceMigration
  readonly vmi: VirtualMachineInstance | undefined
  /** The pod that the guest is to move to. */
  readonly target: Pod | undefined
  /** Why it has to wait for others, and how long until it is worth looking again. */
  readonly wait: { readonly ms: number; readonly reason?: 'MigrationBackoff' } | undefined
  /** Migrations of the same guest that are over, and too many. */
  readonly garbage: readonly VirtualMachineInstanceMigration[]
}

/** The one step to take now. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'wait'; readonly ms: number; readonly reason?: 'MigrationBackoff' }
  | { readonly kind: 'enter'; readonly phase: Phase; readonly again?: number }
  | { readonly kind: 'createTarget' }
  | { readonly kind: 'handOver'; readonly target: Pod }
  | { readonly kind: 'requestAbort' }
  | { readonly kind: 'fail'; readonly reason: string }
  /** It is over: take away what is left of it, once. */
  | { readonly kind: 'cleanUp'; readonly succeeded: boolean }

/** Label by which migrations are found by their guest, and finalizer that keeps them until they are cleaned up. */
export const vmiNameLabel = 'kubevirt.io/vmi-name'
export const migrationFinalizer = 'kubevirt.io/migrationJobFinalize'

const defaultUnschedulableSeconds = 300
const defaultPendingSeconds = 900
const unschedulableAnnotation = 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds'
const pendingAnnotation = 'kubevirt.io/migrationPendingPodTimeoutSeconds'

/** Decides what to do for a migration. */
export function decide(observed: Observed, nowMs: number): Step {
  const { migration, vmi } = observed
  if (isOver(migration)) return { kind: 'cleanUp', succeeded: migration.status?.phase === 'Succeeded' }
  if (!isPrepared(migration)) return { kind: 'prepare' }
  if (isHandedOver(observed)) return decideHandedOver(observed, nowMs)
  if (migration.metadata.deletionTimestamp !== undefined) return { kind: 'fail', reason: 'the migration was deleted before it began' }
  if (vmi === undefined) return { kind: 'fail', reason: 'the VMI does not exist' }
  if (vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed') return { kind: 'fail', reason: 'the VMI has ended' }
  if (vmi.metadata.deletionTimestamp !== undefined) return { kind: 'fail', reason: 'the VMI is being deleted' }
  if (observed.target === undefined) return decidePending(observed, vmi)
  if (observed.target.spec.nodeName !== undefined && observed.target.spec.nodeName === vmi.status?.nodeName)
    return { kind: 'fail', reason: 'the guest is on the node of the target pod already' }
  return decideScheduling(observed, observed.target, nowMs)
}

function isPrepared({ metadata, spec }: VirtualMachineInstanceMigration): boolean {
  const hasFinalizer = metadata.deletionTimestamp !== undefined || metadata.finalizers?.includes(migrationFinalizer) === true
  return hasFinalizer && metadata.labels?.[vmiNameLabel] === spec.vmiName
}

function isHandedOver({ migration, vmi }: Observed): boolean {
  return vmi?.status?.migrationState?.migrationUid === migration.metadata.uid
}

function decideHandedOver({ migration, vmi, target }: Observed, nowMs: number): Step {
  const state = vmi?.status?.migrationState
  if (state?.failed === true) return { kind: 'fail', reason: state.failureReason ?? 'the migration failed' }
  if (state?.completed === true) return { kind: 'enter', phase: 'Succeeded' }
  if (vmi?.status?.phase === 'Failed' || vmi?.status?.phase === 'Succeeded') return { kind: 'fail', reason: 'the VMI has ended' }
  const isUnwanted =
    migration.metadata.deletionTimestamp !== undefined || target === undefined || target.metadata.deletionTimestamp !== undefined
  const isGiven = vmi?.status?.nodeName === state?.targetNode
  if (isUnwanted && !isGiven && state?.abortRequested !== true) return { kind: 'requestAbort' }
  if (state?.startTimestamp !== undefined && state.startTimestamp !== null) return enter(migration, 'Running')
  // The agents answer within seconds. One that never does must not keep the guest from moving elsewhere.
  const leftMs = preparedSinceMs(migration, nowMs) + secondsOf(migration, pendingAnnotation, defaultPendingSeconds) * 1000 - nowMs
  if (leftMs <= 0 && state?.abortRequested !== true) return { kind: 'requestAbort' }
  return {
    kind: 'enter',
    phase: state?.targetNodeAddress === undefined ? 'PreparingTarget' : 'TargetReady',
    again: Math.max(leftMs, 1_000),
  }
}

function preparedSinceMs({ status }: VirtualMachineInstanceMigration, nowMs: number): number {
  const entered = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'PreparingTarget')
  return entered?.phaseTransitionTimestamp === undefined ? nowMs : Date.parse(entered.phaseTransitionTimestamp)
}

function decidePending({ migration, wait }: Observed, vmi: VirtualMachineInstance): Step {
  if (migration.status?.phase === 'Scheduling' || migration.status?.phase === 'Scheduled')
    return { kind: 'fail', reason: 'the target pod has gone' }
  if (vmi.status?.phase !== 'Running') return enter(migration, 'Pending')
  const migratable = findCondition(vmi.status.conditions, 'LiveMigratable')
  if (migratable?.status === 'False') {
    return { kind: 'fail', reason: `cannot migrate VMI: ${migratable.reason ?? ''}: ${migratable.message ?? ''}` }
  }
  if (migration.status?.phase === undefined || migration.status.phase === '') return { kind: 'enter', phase: 'Pending', again: 0 }
  return wait === undefined ? { kind: 'createTarget' } : { kind: 'wait', ...wait }
}

function decideScheduling({ migration }: Observed, target: Pod, nowMs: number): Step {
  if (hasEnded(target) || target.metadata.deletionTimestamp !== undefined) return { kind: 'fail', reason: 'the target pod has ended' }
  if (isUp(target))
    return migration.status?.phase === 'Scheduled' ? { kind: 'handOver', target } : { kind: 'enter', phase: 'Scheduled', again: 0 }
  const limitSeconds =
    unschedulable(target) === undefined
      ? secondsOf(migration, pendingAnnotation, defaultPendingSeconds)
      : secondsOf(migration, unschedulableAnnotation, defaultUnschedulableSeconds)
  const leftMs = Date.parse(target.metadata.creationTimestamp ?? '') + limitSeconds * 1000 - nowMs
  if (leftMs <= 0) {
    const why = unschedulable(target)?.message ?? 'it did not start'
    return { kind: 'fail', reason: `the target pod was given up after ${limitSeconds} seconds: ${why}` }
  }
  return { kind: 'enter', phase: 'Scheduling', again: leftMs }
}

function enter({ status }: VirtualMachineInstanceMigration, phase: Phase): Step {
  return status?.phase === phase ? { kind: 'none' } : { kind: 'enter', phase }
}

function secondsOf({ metadata }: VirtualMachineInstanceMigration, annotation: string, fallback: number): number {
  const seconds = Number(metadata.annotations?.[annotation])
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : fallback
}

/** Selects the pods that a migration has made. */
export function isTargetOf({ metadata }: VirtualMachineInstanceMigration, pod: Pod): boolean {
  return pod.metadata.labels?.[names.migrationJobLabel] === metadata.uid
}
