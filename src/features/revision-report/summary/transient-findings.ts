import type { Finding } from '../types.ts'

/** What has lasted, and when to look at the rest again. */
export interface StableFindings {
  readonly findings: readonly Finding[]
  readonly recheckInMs: number | undefined
}

/** Tells what lasts from what only looks so for a moment. */
export type TransientFilter = (findings: readonly Finding[], nowMs: number) => StableFindings

/**
 * Makes one with an empty memory. Each kind of object has a cache of its own, and one runs ahead of
 * another: a VM names a revision that is not there yet, or a revision has an owner that is not
 * there yet. Only what is still so after `lastsMs` is worth a word. What a revision holds never
 * changes, and needs no patience.
 */
export function createTransientFilter(lastsMs: number): TransientFilter {
  let since: ReadonlyMap<string, number> = new Map()
  return (findings, nowMs) => {
    const waits = new Map<string, number>()
    for (const finding of findings) if (mayBeTransient(finding)) waits.set(keyOf(finding), since.get(keyOf(finding)) ?? nowMs)
    since = waits
    const young = [...waits.values()].filter((start) => nowMs - start < lastsMs)
    return {
      findings: findings.filter((finding) => nowMs - (waits.get(keyOf(finding)) ?? Number.NEGATIVE_INFINITY) >= lastsMs),
      recheckInMs: young.length === 0 ? undefined : Math.min(...young) + lastsMs - nowMs,
    }
  }
}

/** Whether a finding follows from several kinds of objects, which are never seen at one moment. */
export function mayBeTransient({ state }: Finding): boolean {
  return state === 'missing' || state === 'orphaned'
}

function keyOf({ state, namespace, revision }: Finding): string {
  return `${state}/${namespace}/${revision}`
}
