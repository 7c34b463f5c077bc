import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { enter, type Observed, type Step } from '../step.ts'
import { podTimeoutsSeconds } from '../schedule/timeouts.ts'

/** Milliseconds for the target's agent to end a migration whose source agent is silent. */
const silencePatienceMs = 60_000

/**
 * Decides while the two node agents migrate the guest: only watch, unless one of them is silent.
 */
export function decideHandedOver(observed: Observed, nowMs: number): Step {
  const { migration, vmi } = observed
  const state = vmi?.status?.migrationState
  if (state?.failed === true) return { kind: 'fail', reason: state.failureReason ?? 'the migration failed' }
  if (state?.completed === true) return { kind: 'enter', phase: 'Succeeded' }
  if (vmi !== undefined && isVmiFinal(vmi)) return { kind: 'fail', reason: 'the VMI has ended' }
  const isGiven = vmi?.status?.nodeName === state?.targetNode
  const intervention = isGiven ? undefined : intervene(observed, nowMs)
  if (intervention !== undefined) return intervention
  if (state?.startTimestamp !== undefined && state.startTimestamp !== null) return enter(migration, 'Running')
  // Agents answer within seconds. One that never does must not block another migration of the
  // guest.
  const leftMs = preparedSinceMs(migration, nowMs) + podTimeoutsSeconds(migration).pending * 1000 - nowMs
  if (leftMs <= 0 && !isGiven && state?.abortRequested !== true) return { kind: 'requestAbort' }
  return {
    kind: 'enter',
    phase: state?.targetNodeAddress === undefined ? 'PreparingTarget' : 'TargetReady',
    again: Math.max(leftMs, 1_000),
  }
}

/** Returns the step that ends the migration while the guest is still on its source. */
function intervene({ migration, vmi, target, source, silent }: Observed, nowMs: number): Step | undefined {
  const state = vmi?.status?.migrationState
  if (silent?.source === true && source !== undefined && isPodTerminal(source) && state?.sourceState?.steadyvm?.gone !== true) {
    return { kind: 'sourceEnded' }
  }
  const isUnwanted = isBeingDeleted(migration) || target === undefined || isBeingDeleted(target)
  if (state?.abortRequested !== true) {
    return isUnwanted || silent?.source === true || silent?.target === true ? { kind: 'requestAbort' } : undefined
  }
  if (silent?.source !== true) return undefined
  const asked = findCondition(migration.status?.conditions, 'migrationAbortRequested')?.lastTransitionTime
  const leftMs = Date.parse(asked ?? '') + silencePatienceMs - nowMs
  if (leftMs > 0) return { kind: 'wait', ms: leftMs }
  return { kind: 'conclude', reason: `the node agent of ${state.sourceNode ?? ''} does not answer` }
}

function preparedSinceMs({ status }: Observed['migration'], nowMs: number): number {
  const entered = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'PreparingTarget')
  return entered?.phaseTransitionTimestamp === undefined ? nowMs : Date.parse(entered.phaseTransitionTimestamp)
}
