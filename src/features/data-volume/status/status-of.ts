import type { CdiCondition } from '#api/cdi/v1beta1/cdi-condition.ts'
import type { DataVolume, DataVolumeStatus } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Step } from '../decide.ts'
import type { FillStep, FillWait } from '../fill/decide-fill.ts'
import { uploadStage } from '../fill/mirror.ts'
import { names } from '../names.ts'
import type { Purpose } from '../source/source.ts'
import { restartsOf } from '../worker/worker-state.ts'

/** Facts of a pass that the status is computed from. */
export interface StatusInput {
  readonly dataVolume: DataVolume
  readonly claim: PersistentVolumeClaim | undefined
  readonly purpose: Purpose
  readonly step: Step
  /** Why a worker could not be started. */
  readonly refused: FillWait | undefined
  readonly bindsLate: boolean
  /** RFC 3339. */
  readonly now: string
}

const phases: Readonly<Record<Purpose, { readonly scheduled: string; readonly running: string }>> = {
  import: { scheduled: 'ImportScheduled', running: 'ImportInProgress' },
  upload: { scheduled: 'UploadScheduled', running: 'UploadScheduled' },
  clone: { scheduled: 'CloneScheduled', running: 'CloneInProgress' },
}

interface Outcome {
  readonly phase: string
  readonly progress?: string
  readonly running: Omit<CdiCondition, 'type'>
  readonly ready: Omit<CdiCondition, 'type'>
  readonly restarts?: number
}

/** Returns the status of a DataVolume, or undefined if a step leaves it as it is. Pure. */
export function statusOf(input: StatusInput): DataVolumeStatus | undefined {
  const outcome = outcomeOf(input)
  if (outcome === undefined) return undefined
  const { dataVolume, claim, now } = input
  const { status } = dataVolume
  const wanted: readonly CdiCondition[] = [
    { type: 'Bound', ...boundOf(input) },
    { type: 'Running', ...outcome.running },
    { type: 'Ready', ...outcome.ready },
  ]
  return {
    ...(claim?.metadata.name === undefined ? {} : { claimName: claim.metadata.name }),
    phase: outcome.phase,
    progress: outcome.progress ?? status?.progress ?? 'N/A',
    ...(outcome.restarts === undefined ? {} : { restartCount: outcome.restarts }),
    conditions: wanted.map((condition) =>
      withTimes(
        condition,
        status?.conditions?.find(({ type }) => type === condition.type),
        now,
      ),
    ),
  }
}

/** The time of a heartbeat only moves with the condition: it is not worth a write of its own. */
function withTimes(condition: CdiCondition, old: CdiCondition | undefined, now: string): CdiCondition {
  const isSame = old?.status === condition.status && (old.reason ?? '') === condition.reason && (old.message ?? '') === condition.message
  if (isSame) return { ...condition, ...timesOf(old) }
  const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? now) : now
  return { ...condition, lastTransitionTime, lastHeartbeatTime: now }
}

function timesOf({ lastTransitionTime, lastHeartbeatTime }: CdiCondition): Partial<CdiCondition> {
  return {
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    ...(lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime }),
  }
}

function boundOf({ claim, step }: StatusInput): Omit<CdiCondition, 'type'> {
  if (claim === undefined) {
    const wait = step.kind === 'await' || step.kind === 'lost' ? step.wait : { reason: 'NotFound', message: 'No PVC found' }
    return { status: step.kind === 'createClaim' ? 'Unknown' : 'False', ...wait }
  }
  const { name = '' } = claim.metadata
  const phase = claim.status?.phase ?? 'Pending'
  if (phase === 'Bound') return { status: 'True', reason: 'Bound', message: `PVC ${name} Bound` }
  if (phase === 'Lost') return { status: 'False', reason: 'ClaimLost', message: 'Claim Lost' }
  const wait =
    step.kind === 'fill' && step.step.kind === 'awaitVolume' ? step.step.wait : { reason: 'Pending', message: `PVC ${name} Pending` }
  return { status: 'False', ...wait }
}

const nothing = { status: 'False', reason: '', message: '' }

function waiting(phase: string, wait: FillWait): Outcome {
  return { phase, running: { status: 'False', ...wait }, ready: { status: 'False', ...wait } }
}

function outcomeOf({ step, purpose, refused, claim, bindsLate, dataVolume }: StatusInput): Outcome | undefined {
  switch (step.kind) {
    case 'none':
      return undefined
    case 'createClaim':
      return refused === undefined ? { phase: 'Pending', running: nothing, ready: nothing } : waiting('Pending', refused)
    case 'await':
      return waiting('Pending', step.wait)
    case 'lost':
      return { ...waiting(dataVolume.status?.phase ?? 'Succeeded', step.wait), running: nothing }
    case 'adopt':
    case 'watchClaim':
      return watched(step.claim, bindsLate)
    case 'fill':
      return filling(step.step, { purpose, refused, claim: claim ?? step.claim })
  }
}

const succeeded: Outcome = {
  phase: 'Succeeded',
  progress: '100.0%',
  running: { status: 'False', reason: 'Completed', message: '' },
  ready: { status: 'True', reason: '', message: '' },
}

/**
 * Another controller, or an earlier one, provides the content. A populator, such as ours, says on
 * the claim how it gets on.
 */
function watched(claim: PersistentVolumeClaim, bindsLate: boolean): Outcome {
  if (claim.status?.phase === 'Bound') return succeeded
  if (claim.status?.phase === 'Lost') return waiting('Failed', { reason: 'ClaimLost', message: `PVC ${claim.metadata.name ?? ''} lost` })
  const annotations = claim.metadata.annotations ?? {}
  const wait = { reason: annotations[names.runningReason] ?? '', message: annotations[names.runningMessage] ?? '' }
  if (annotations[names.fatalError] === 'true') return waiting('Failed', wait)
  const phase = bindsLate && annotations[names.primeClaim] === undefined ? 'WaitForFirstConsumer' : 'Pending'
  const progress = annotations[names.populatorProgress]
  return { ...waiting(phase, wait), ...(progress === undefined ? {} : { progress }) }
}

function filling(
  step: FillStep,
  { purpose, refused, claim }: { readonly purpose: Purpose; readonly refused: FillWait | undefined; readonly claim: PersistentVolumeClaim },
): Outcome {
  const { scheduled, running } = phases[purpose]
  switch (step.kind) {
    case 'filled':
      return succeeded
    case 'recordSuccess':
      // The record on the claim comes first. The next pass reports it.
      return { ...succeeded, phase: running, ready: { status: 'False', reason: 'Completed', message: '' }, restarts: restartsOf(step.pod) }
    case 'failed':
    case 'recordFailure':
      return { ...waiting('Failed', step.wait), ...(step.kind === 'recordFailure' ? { restarts: restartsOf(step.pod) } : {}) }
    case 'awaitConsumer': {
      const message = `PVC ${claim.metadata.name ?? ''} is bound when its first pod is scheduled, such as that of a VM`
      return waiting('WaitForFirstConsumer', { reason: 'WaitForFirstConsumer', message })
    }
    case 'awaitVolume':
      return waiting(claim.status?.phase === 'Lost' ? 'Failed' : 'Pending', step.wait)
    case 'awaitSource':
      return waiting('Pending', step.wait)
    case 'startWorker':
      return refused === undefined ? { phase: scheduled, running: nothing, ready: nothing } : waiting(scheduled, refused)
    case 'awaitWorker':
      return { phase: scheduled, running: nothing, ready: nothing, restarts: restartsOf(step.pod) }
    case 'replaceWorker':
      return waiting(scheduled, step.wait)
    case 'awaitDriver':
      return waiting(step.phase, step.wait)
    case 'expand':
      return { phase: 'ExpansionInProgress', running: nothing, ready: nothing }
    case 'recordClone':
      return { ...succeeded, phase: running, ready: { status: 'False', reason: 'Completed', message: '' } }
    case 'follow':
      return following(step, purpose)
  }
}

function following({ pod, wait, progress }: Extract<FillStep, { kind: 'follow' }>, purpose: Purpose): Outcome {
  const { scheduled, running } = phases[purpose]
  const hasStarted = pod.status?.phase === 'Running'
  const isRunning = hasStarted && wait === undefined
  const isReady = purpose === 'upload' && progress?.stage === uploadStage
  const hasContent = purpose === 'upload' && progress !== undefined && !isReady
  const phase = !hasStarted ? scheduled : isReady || hasContent ? 'UploadReady' : running
  const reason = wait?.reason ?? (isRunning ? 'Pod is running' : 'Pending')
  return {
    phase,
    ...(progress?.percent === undefined ? {} : { progress: `${progress.percent.toFixed(2)}%` }),
    running: { status: isRunning ? 'True' : 'False', reason, message: wait?.message ?? progress?.stage ?? '' },
    ready: { status: 'False', reason: isRunning ? 'TransferRunning' : (wait?.reason ?? ''), message: wait?.message ?? '' },
    restarts: restartsOf(pod),
  }
}
