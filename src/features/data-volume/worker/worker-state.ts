import type { ContainerState } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { exitCodes, parseResult, type ImportResult } from '#importer/index.ts'

/** What the pod of a worker shows. */
export type WorkerState =
  /** The pod is being deleted. */
  | { readonly kind: 'leaving' }
  /**
   * The process has not started. `message`: why the pod does not run; empty when it is on its way.
   */
  | { readonly kind: 'scheduled'; readonly reason: string; readonly message: string }
  | { readonly kind: 'running' }
  /** It has failed, and the kubelet starts it again. */
  | { readonly kind: 'backingOff'; readonly reason: string; readonly message: string }
  | { readonly kind: 'succeeded'; readonly result: ImportResult }
  /** Trying again is useless. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  /** The pod has ended without a result: its node was drained, or it was killed. */
  | { readonly kind: 'lost'; readonly message: string }

/** Reads the pod of a worker. Pure. */
export function workerState(pod: Pod): WorkerState {
  const { status } = pod
  const container = status?.containerStatuses?.[0]
  const ended = [container?.state?.terminated, container?.lastState?.terminated].filter((each) => each !== undefined)
  const last = ended[0]
  const good = ended.find(({ exitCode }) => exitCode === exitCodes.completed)
  if (status?.phase === 'Succeeded' || good !== undefined) return { kind: 'succeeded', result: resultOf(good?.message, 'Completed') }
  const fatal = ended.find(({ exitCode, message }) => exitCode === exitCodes.failedForGood || parseResult(message)?.fatal === true)
  if (fatal !== undefined) return { kind: 'failed', ...reasonOf(resultOf(fatal.message, fatal.reason)) }
  if (status?.phase === 'Failed') {
    if (status.reason === 'DeadlineExceeded')
      return {
        kind: 'failed',
        reason: 'DeadlineExceeded',
        message: `The import took longer than its deadline. ${messageOf(last?.message)}`.trim(),
      }
    return { kind: 'lost', message: status.message ?? messageOf(last?.message) }
  }
  if (isBeingDeleted(pod)) return { kind: 'leaving' }
  if (container?.state?.running !== undefined) return { kind: 'running' }
  if (last !== undefined) return { kind: 'backingOff', ...reasonOf(resultOf(last.message, last.reason)) }
  return { kind: 'scheduled', ...obstacleOf(pod, container?.state) }
}

/** Number of times that the kubelet has started the process again. Pure. */
export function restartsOf(pod: Pod | undefined): number {
  return pod?.status?.containerStatuses?.[0]?.restartCount ?? 0
}

function obstacleOf({ status }: Pod, state: ContainerState | undefined): { readonly reason: string; readonly message: string } {
  const waiting = state?.waiting
  if (waiting?.message !== undefined && waiting.message !== '') return { reason: waiting.reason ?? 'Pending', message: waiting.message }
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') return { reason: scheduled.reason ?? 'Unschedulable', message: scheduled.message ?? '' }
  return { reason: waiting?.reason ?? 'Pending', message: '' }
}

function reasonOf({ reason, message }: ImportResult): { readonly reason: string; readonly message: string } {
  return { reason, message }
}

function messageOf(message: string | undefined): string {
  return parseResult(message)?.message ?? message ?? ''
}

/** A process that was killed leaves the end of its log, or nothing. */
function resultOf(message: string | undefined, otherwise: string = 'Error'): ImportResult {
  return parseResult(message) ?? { reason: otherwise, message: (message ?? '').slice(-1024), fatal: false }
}
