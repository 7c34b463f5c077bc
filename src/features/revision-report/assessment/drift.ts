import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isNamespacedKind, type Instancetype, type Preference } from '#features/instancetype/index.ts'
import type { AssessedRevision } from './assess-revisions.ts'
import type { Ages, Drift } from '../types.ts'

/**
 * Counts copies by their difference from the live object, by UID and generation. Drift is normal: a
 * pinned VM keeps its generation.
 */
export function driftOf(judged: readonly AssessedRevision[], live: readonly KubeObject[]): Drift {
  const now = new Map(live.map((object) => [keyOf(object.kind, object.metadata?.namespace, object.metadata?.name), object]))
  const drift: Record<keyof Drift, number> = { same: 0, newerGeneration: 0, replaced: 0, deleted: 0, unknown: 0 }
  for (const { kept, revision } of judged)
    if (kept.object !== undefined) drift[driftBetween(kept.object, revision.metadata.namespace, now)] += 1
  return drift
}

function driftBetween(
  { kind, metadata }: Instancetype | Preference,
  namespace: string | undefined,
  now: ReadonlyMap<string, KubeObject>,
): keyof Drift {
  const { name, uid, generation = 0 } = metadata
  if (name === undefined || uid === undefined) return 'unknown'
  const live = now.get(keyOf(kind, isNamespacedKind(kind) ? namespace : undefined, name))
  if (live === undefined) return 'deleted'
  if (live.metadata?.uid !== uid) return 'replaced'
  return (live.metadata.generation ?? 0) > generation ? 'newerGeneration' : 'same'
}

function keyOf(kind: string | undefined, namespace: string | undefined, name: string | undefined): string {
  return `${kind ?? ''}/${namespace ?? ''}/${name ?? ''}`
}

const day = 86_400_000

/** Counts copies by age. */
export function agesOf(judged: readonly AssessedRevision[], nowMs: number): Ages {
  const ages: Record<keyof Ages, number> = { underOneDay: 0, underThirtyDays: 0, underOneYear: 0, older: 0 }
  for (const { revision } of judged) {
    const days = (nowMs - Date.parse(revision.metadata.creationTimestamp ?? '')) / day
    ages[days >= 365 ? 'older' : days >= 30 ? 'underOneYear' : days >= 1 ? 'underThirtyDays' : 'underOneDay'] += 1
  }
  return ages
}
