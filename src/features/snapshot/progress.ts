import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { SnapshotCondition } from '#api/snapshot/v1beta1/condition.ts'

/** Progress of an operation. */
export type Progress =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

/**
 * Reasons of the two conditions that are always present. KubeVirt uses whole sentences, and its
 * users look for them there.
 */
export interface Reasons {
  readonly progressing: string
  readonly ready: string
}

/** Returns the conditions for the progress. */
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

/** Reason for completion, of snapshots and of restores. */
export const complete = 'Operation complete'
