import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { conditions, names } from '../names.ts'
import { nextPoll, nextTry } from './cron-schedule.ts'
import { pollState } from './poller.ts'
import type { CronSource } from './source-of.ts'

/** What the digest of a source is looked up by. */
export interface PollObservation {
  readonly cron: DataImportCron
  readonly source: CronSource
  /** The pod that looks it up. */
  readonly poller: Pod | undefined
  /** UID of the claim that is copied. */
  readonly sourceClaimUid: string | undefined
  readonly nowMs: number
}

/**
 * What to do about the digest. `nextMs`: when it is due again; undefined for one that never
 * changes.
 */
export type PollStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'startPoller'; readonly source: Extract<CronSource, { kind: 'registry' | 'http' }> }
  | { readonly kind: 'awaitPoller' }
  /** Remove a pod whose answer is recorded. */
  | { readonly kind: 'removePoller'; readonly poller: Pod }
  | {
      readonly kind: 'record'
      readonly digest: string
      readonly atMs: number
      readonly nextMs: number | undefined
      readonly poller: Pod | undefined
    }
  | {
      readonly kind: 'recordFailure'
      readonly reason: string
      readonly message: string
      readonly nextMs: number | undefined
      readonly poller: Pod | undefined
    }

/** Decides about the digest. The answer of a pod is recorded before the pod is removed. Pure. */
export function decidePoll({ cron, source, poller, sourceClaimUid, nowMs }: PollObservation): PollStep {
  const { schedule } = cron.spec
  const { annotations = {} } = cron.metadata
  const pinned = source.kind === 'registry' ? source.digest : undefined
  if (pinned !== undefined)
    return annotations[names.desiredDigest] === pinned
      ? { kind: 'none' }
      : { kind: 'record', digest: pinned, atMs: nowMs, nextMs: undefined, poller: undefined }
  const isDue = schedule !== '' && !(Date.parse(annotations[names.nextCronTime] ?? '') > nowMs)
  if (poller !== undefined) {
    const state = pollState(poller, nowMs)
    if (state.kind === 'running') return { kind: 'awaitPoller' }
    if (!isDue) return { kind: 'removePoller', poller }
    if (state.kind === 'answered')
      return { kind: 'record', digest: state.digest, atMs: state.atMs, nextMs: nextPoll(schedule, nowMs), poller }
    const nextMs = nextTry(schedule, nowMs, unansweredSince(cron) ?? nowMs)
    return { kind: 'recordFailure', reason: state.reason, message: state.message, nextMs, poller }
  }
  if (!isDue) return { kind: 'none' }
  switch (source.kind) {
    case 'registry':
    case 'http':
      return { kind: 'startPoller', source }
    case 'pvc': {
      if (sourceClaimUid !== undefined)
        return { kind: 'record', digest: `uid:${sourceClaimUid}`, atMs: nowMs, nextMs: nextPoll(schedule, nowMs), poller: undefined }
      const message = `PVC ${source.pvc.namespace}/${source.pvc.name} not found`
      // Claims are watched: it stays due until there is one.
      return { kind: 'recordFailure', reason: 'NotFound', message, nextMs: undefined, poller: undefined }
    }
    case 'unknown': {
      const message = 'the template names no source that is served'
      return { kind: 'recordFailure', reason: 'SourceNotServed', message, nextMs: nextPoll(schedule, nowMs), poller: undefined }
    }
  }
}

/** When the source could first not be asked. Undefined while it answers. */
function unansweredSince({ status }: DataImportCron): number | undefined {
  const polled = findCondition(status?.conditions, conditions.polled)
  return polled?.status === 'False' ? Date.parse(polled.lastTransitionTime ?? '') : undefined
}
