import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal, isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { dumpPhases, isLauncherReady, names, unschedulableReason } from '#features/vmi/index.ts'
import { decideHandedOver } from './handover/decide.ts'
import { enter, type Observed, type Step } from './step.ts'
import { podTimeoutsSeconds } from './schedule/timeouts.ts'

/** Label with the name of the VMI, and finalizer that holds a migration until it is cleaned up. */
export const vmiNameLabel = 'kubevirt.io/vmi-name'
export const migrationFinalizer = 'kubevirt.io/migrationJobFinalize'

const strayWaitMs = 3_000
/** Milliseconds before the next look at a guest whose disks are copied, or memory is dumped. */
const copyWaitMs = 1_000

/** Decides what to do for a migration. Pure. */
export function decide(observed: Observed, nowMs: number): Step {
  const { migration, vmi } = observed
  if (isMigrationFinal(migration)) return { kind: 'cleanUp', succeeded: migration.status?.phase === 'Succeeded' }
  if (!isPrepared(migration)) return { kind: 'prepare' }
  if (isHandedOver(observed)) return decideHandedOver(observed, nowMs)
  if (isBeingDeleted(migration)) return { kind: 'fail', reason: 'the migration was deleted before it began' }
  if (vmi === undefined) return { kind: 'fail', reason: 'the VMI does not exist' }
  if (isVmiFinal(vmi)) return { kind: 'fail', reason: 'the VMI has ended' }
  if (isBeingDeleted(vmi)) return { kind: 'fail', reason: 'the VMI is being deleted' }
  if (observed.isOrphaned === true) return endStray(observed, vmi)
  if (observed.target === undefined) return decidePending(observed, vmi)
  if (observed.target.spec.nodeName !== undefined && observed.target.spec.nodeName === vmi.status?.nodeName)
    return { kind: 'fail', reason: 'the guest is on the node of the target pod already' }
  return decideScheduling(observed, observed.target, nowMs)
}

function isPrepared({ metadata, spec }: VirtualMachineInstanceMigration): boolean {
  const hasFinalizer = isBeingDeleted({ metadata }) || metadata.finalizers?.includes(migrationFinalizer) === true
  return hasFinalizer && metadata.labels?.[vmiNameLabel] === spec.vmiName
}

function isHandedOver({ migration, vmi }: Observed): boolean {
  return vmi?.status?.migrationState?.migrationUid === migration.metadata.uid
}

/** Ends a migration whose object is gone, for example after its finalizer was removed by hand. */
function endStray({ silent }: Observed, { status }: VirtualMachineInstance): Step {
  const state = status?.migrationState
  if (state?.abortRequested !== true) return { kind: 'endStray' }
  if (silent?.source !== true) return { kind: 'wait', ms: strayWaitMs }
  return { kind: 'conclude', reason: `the node agent of ${state.sourceNode ?? ''} does not answer` }
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
  if (isHeld(vmi)) return { kind: 'wait', ms: copyWaitMs }
  return wait === undefined ? { kind: 'createTarget' } : { kind: 'wait', ...wait }
}

/**
 * Reports whether disks are copied for a snapshot, or the memory is dumped: the QEMU that does it
 * must stay.
 */
function isHeld({ status }: VirtualMachineInstance): boolean {
  const isDumping = status?.volumeStatus?.some(({ phase }) => phase === dumpPhases.inProgress) === true
  return isDumping || (status?.steadyvm?.diskCopy ?? undefined) !== undefined
}

function decideScheduling({ migration, vmi }: Observed, target: Pod, nowMs: number): Step {
  if (isPodTerminal(target) || isBeingDeleted(target)) return { kind: 'fail', reason: 'the target pod has ended' }
  if (isLauncherReady(target) && migration.status?.phase === 'Scheduled' && vmi !== undefined && isHeld(vmi))
    return { kind: 'wait', ms: copyWaitMs }
  if (isLauncherReady(target))
    return migration.status?.phase === 'Scheduled' ? { kind: 'handOver', target } : { kind: 'enter', phase: 'Scheduled', again: 0 }
  const patience = podTimeoutsSeconds(migration)
  const limitSeconds = unschedulableReason(target) === undefined ? patience.pending : patience.unschedulable
  const leftMs = Date.parse(target.metadata.creationTimestamp ?? '') + limitSeconds * 1000 - nowMs
  if (leftMs <= 0) {
    const why = unschedulableReason(target)?.message ?? 'it did not start'
    return { kind: 'fail', reason: `the target pod was given up after ${limitSeconds} seconds: ${why}` }
  }
  return { kind: 'enter', phase: 'Scheduling', again: leftMs }
}

/** Reports whether the pod is the target of the migration. */
export function isTargetOf({ metadata }: VirtualMachineInstanceMigration, pod: Pod): boolean {
  return pod.metadata.labels?.[names.migrationJobLabel] === metadata.uid
}
