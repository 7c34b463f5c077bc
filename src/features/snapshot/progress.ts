import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { SnapshotCondition } from '#api/snapshot/v1beta1/condition.ts'

/** How far something is that takes a while. */
export type Progress =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

/**
 * What the two conditions that are always there give as reasons. KubeVirt writes whole sentences,
 * and its users look for them there.
 */
export interface Reasons {
  readonly progressing: string
  readonly ready: string
}

/** The conditions that tell of it. */
export function progressConditions(
  old: readonly SnapshotCondition[] | undefined,
  progress: Progress,
  { reasons, now }: { readonly reasons: Reasons; readonly now: string },
): SnapshotCondition[] {
  const progressing: SnapshotCondition = {
    type: 'Progressing',
    status: progress.kind === 'waiting' ? 'True' : 'False',
    reason: reasons.progressing,
  }
  const ready: SnapshotCondition = { type: 'Ready', status: progress.kind === 'done' ? 'True' : 'False', reason: reasons.ready }
  const both = setCondition(setCondition(old, progressing, now), ready, now)
  if (progress.kind !== 'failed') return removeCondition(both, 'Failure')
  return setCondition(both, { type: 'Failure', status: 'True', reason: progress.why }, now)
}

/** What says that all is done, of snapshots and of restores. */
export const complete = 'Operation complete'
