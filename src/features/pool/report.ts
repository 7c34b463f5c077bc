import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePoolStatus } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { findCondition, isTrue, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { messageOf } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import type { Failure, Ports } from './act.ts'
import type { Decision, Observed } from './decide.ts'

type Conditions = NonNullable<VirtualMachinePoolStatus['conditions']>

/** Writes counts and conditions into the status of the pool, and events about what changed. */
export async function report(
  { client, recorder, clock }: Ports & { readonly clock: Clock },
  { pool, vms }: Observed,
  { obstacle }: Decision,
  failure: Failure | undefined,
): Promise<void> {
  const now = timestamp(clock.now())
  const problem = failure === undefined ? obstacleOf(obstacle) : { reason: failure.reason, message: messageOf(failure.error) }
  const old = pool.status?.conditions
  const conditions = withFailure(withPause(old, pool.spec.paused === true, now), problem, now)
  await found(
    patchStatus(client, virtualMachinePools, pool, {
      replicas: vms.length,
      readyReplicas: vms.filter(({ status }) => isTrue(status?.conditions, 'Ready')).length,
      labelSelector: workloadSelector(pool.spec.selector)?.toString() ?? '',
      conditions,
    }),
  )
  if (problem !== undefined && findCondition(old, 'ReplicaFailure')?.message !== problem.message)
    recorder.event(pool, 'Warning', problem.reason, problem.message)
  const [wasPaused, isPaused] = [isTrue(old, 'ReplicaPaused'), pool.spec.paused === true]
  if (isPaused && !wasPaused) recorder.event(pool, 'Normal', 'SuccessfulPaused', 'Pool is paused')
  if (!isPaused && wasPaused) recorder.event(pool, 'Normal', 'SuccessfulResume', 'Pool is unpaused')
}

interface Problem {
  readonly reason: string
  readonly message: string
}

function obstacleOf(message: string | undefined): Problem | undefined {
  return message === undefined ? undefined : { reason: 'FailedScaleIn', message }
}

function withPause(conditions: Conditions | undefined, isPaused: boolean, now: string): Conditions {
  if (!isPaused) return removeCondition(conditions, 'ReplicaPaused')
  const paused = { type: 'ReplicaPaused', status: 'True', reason: 'SuccessfulPaused', message: 'Pool controller is paused' } as const
  return setCondition(conditions, paused, now)
}

function withFailure(conditions: Conditions, problem: Problem | undefined, now: string): Conditions {
  if (problem === undefined) return removeCondition(conditions, 'ReplicaFailure')
  return setCondition(conditions, { type: 'ReplicaFailure', status: 'True', ...problem }, now)
}
