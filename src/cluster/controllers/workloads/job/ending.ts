import type { Job } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { restartsOf } from '../pods/pod-state.ts'
import { type Account, failedIn, succeededIn } from './accounting.ts'
import type { JobResult } from './conditions.ts'
import { judgeFailure } from './policies/failure-policy.ts'
import { metRule } from './policies/success-policy.ts'

/** The result that a Job comes to now; undefined while it goes on. Pure. */
export function endingOf(
  job: Job,
  account: Account,
  pods: readonly Pod[],
  startTime: string | undefined,
  nowMs: number,
): JobResult | undefined {
  const { completions, backoffLimit = 6 } = job.spec
  const refused = failingVerdict(job, pods)
  if (refused !== undefined) return { kind: 'Failed', reason: 'PodFailurePolicy', message: refused }
  if (failuresIn(job, account) > backoffLimit || restartsTooOften(job, account)) {
    return { kind: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  }
  if (deadlineInMs(job, startTime, nowMs) === 0) {
    return { kind: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  }
  return indexedEndingOf(job, account) ?? completionOf(completions, account)
}

function completionOf(completions: number | undefined, account: Account): JobResult | undefined {
  const succeeded = succeededIn(account)
  const enough = completions === undefined ? succeeded > 0 && account.active.length === 0 : succeeded >= completions
  if (!enough) return undefined
  return { kind: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
}

/** The end of a Job whose indexes have failed, or have succeeded as far as its policy asks. */
function indexedEndingOf({ spec }: Job, { completed, failedIndexes }: Account): JobResult | undefined {
  if (completed === undefined) return undefined
  const { completions = 0, maxFailedIndexes = Infinity, successPolicy } = spec
  const failed = failedIndexes?.size ?? 0
  if (failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes'
    return { kind: 'Failed', reason: 'MaxFailedIndexesExceeded', message }
  }
  const rule = metRule(successPolicy, completed)
  if (rule !== undefined) return { kind: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` }
  if (failed > 0 && failed + completed.size >= completions) {
    return { kind: 'Failed', reason: 'FailedIndexes', message: 'Job has failed indexes' }
  }
  return undefined
}

/** The message of a failure that ends the Job by its policy. */
function failingVerdict({ spec }: Job, pods: readonly Pod[]): string | undefined {
  if (spec.podFailurePolicy === undefined) return undefined
  const verdicts = pods.filter(({ status }) => status?.phase === 'Failed').map((pod) => judgeFailure(spec.podFailurePolicy, pod))
  return verdicts.find(({ action }) => action === 'FailJob')?.message
}

/** Failures that count, also of pods that are still to be replaced. */
function failuresIn({ spec }: Job, account: Account): number {
  const isCounted = (pod: Pod): boolean => judgeFailure(spec.podFailurePolicy, pod).action !== 'Ignore'
  return failedIn(account) + account.awaitingReplacement.filter(isCounted).length
}

/** Pods that restart their containers themselves fail without ever ending. */
function restartsTooOften({ spec }: Job, { active }: Account): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0)
  const { backoffLimit = 6 } = spec
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** Milliseconds that the Job may go on; 0 when its time is up, undefined when it has no limit. */
export function deadlineInMs({ spec }: Job, startTime: string | undefined, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined
  return Math.max(0, Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - nowMs)
}
