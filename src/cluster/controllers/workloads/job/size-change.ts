import type { Job } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { choosePodsToDelete } from '../pods/deletion-order.ts'
import { type Account, succeededIn } from './accounting.ts'
import { retryInMs } from './backoff.ts'
import { failuresAfter } from './indexes/index-failures.ts'
import { indexOf } from './indexes/indexes.ts'
import type { NewPod } from './job-pod.ts'

/** Pods to create and to delete. */
export interface SizeChange {
  readonly create: readonly NewPod[]
  readonly remove: readonly Pod[]
  /** Milliseconds until a pod may be made that replaces one that has failed. */
  readonly waitMs: number | undefined
}

/** No change. */
export const noChange: SizeChange = { create: [], remove: [], waitMs: undefined }

/** Pods created in one go at most. */
const burst = 500

/** Compares the active pods with those that should run. Pure. */
export function sizeChange(job: Job, account: Account, pods: readonly Pod[], nowMs: number): SizeChange {
  const { podReplacementPolicy } = job.spec
  const { active, completed } = account
  const wanted = wantedPods(job, account)
  const doubles = completed === undefined ? [] : doublesOf(active)
  const living = active.filter((pod) => !doubles.includes(pod))
  const remove = [...doubles, ...choosePodsToDelete(living, Math.max(0, living.length - wanted), new Map())]
  const leaving = podReplacementPolicy === 'Failed' ? account.terminating : 0
  const missing = Math.max(0, Math.min(burst, wanted - living.length - leaving))
  const taken = [...(completed ?? []), ...(account.failedIndexes ?? []), ...living.flatMap((pod) => indexOf(pod) ?? [])]
  return { remove, ...newPods(job, account, pods, { missing, taken: new Set(taken) }, nowMs) }
}

/** Number of pods that should run now. */
function wantedPods({ spec }: Job, account: Account): number {
  const { parallelism = 1, completions } = spec
  const succeeded = succeededIn(account)
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded - (account.failedIndexes?.size ?? 0)))
  return succeeded > 0 ? Math.min(account.active.length, parallelism) : parallelism
}

/** After a failure the Job waits, or with backoffLimitPerIndex the index alone. */
function newPods(
  job: Job,
  { completed, failedIndexes, awaitingReplacement }: Account,
  pods: readonly Pod[],
  { missing, taken }: { readonly missing: number; readonly taken: ReadonlySet<number> },
  nowMs: number,
): Pick<SizeChange, 'create' | 'waitMs'> {
  if (missing === 0) return noChange
  const free = Array.from({ length: completed === undefined ? 0 : (job.spec.completions ?? 0) }, (_, index) => index).filter(
    (index) => !taken.has(index),
  )
  if (failedIndexes === undefined) {
    const waitMs = retryInMs(pods, nowMs)
    if (waitMs > 0) return { create: [], waitMs }
    const indexes = completed === undefined ? Array.from({ length: missing }, () => undefined) : free.slice(0, missing)
    return { create: indexes.map((index) => ({ index, failures: undefined })), waitMs: undefined }
  }
  const byIndex = Map.groupBy(pods, (pod) => indexOf(pod) ?? -1)
  const candidates = free.map((index) => ({ index, waitMs: retryInMs(byIndex.get(index) ?? [], nowMs) }))
  const failedPod = new Map(awaitingReplacement.map((pod) => [indexOf(pod) ?? -1, pod]))
  return {
    create: candidates
      .filter(({ waitMs }) => waitMs === 0)
      .slice(0, missing)
      .map(({ index }) => ({ index, failures: failuresAfter(job, failedPod.get(index)) })),
    waitMs: earliest(...candidates.map(({ waitMs }) => (waitMs > 0 ? waitMs : undefined))),
  }
}

/** Pods whose index another one has already. */
function doublesOf(active: readonly Pod[]): readonly Pod[] {
  const seen = new Set<number>()
  return active.filter((pod) => {
    const index = indexOf(pod)
    if (index === undefined || seen.has(index)) return true
    seen.add(index)
    return false
  })
}

/** The shortest of the waits that are known. Pure. */
export function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
