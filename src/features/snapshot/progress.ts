import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { SnapshotCondition } from '#api/snapshot/v1beta1/condition.ts'

/** How far something is that takes a while. */
export type Progress =
  | { readonly kind: 'waiting'; readonly why: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }

/** The conditions that tell of it. KubeVirt writes whole sentences as reasons, and its users look for them there. */
export function progressConditions(old: readonly SnapshotCondition[] | undefined, progress: Progress, now: string): SnapshotCondition[] {
  const why = progress.kind === 'done' ? 'Operation complete' : progress.kind === 'failed' ? 'Operation failed' : progress.why
  const progressing: SnapshotCondition = { type: 'Progressing', status: progress.kind === 'waiting' ? 'True' : 'False', reason: why }
  const ready: SnapshotCondition = { type: 'Ready', status: progress.kind === 'done' ? 'True' : 'False', reason: why }
  const both = setCondition(setCondition(old, progressing, now), ready, now)
  if (progress.kind !== 'failed') return removeCondition(both, 'Failure')
  return setCondition(both, { type: 'Failure', status: 'True', reason: progress.why }, now)
}
