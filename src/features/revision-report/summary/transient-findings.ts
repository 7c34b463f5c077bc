import type { Finding } from '../types.ts'

/** Findings that have lasted, and when to check the others again. */
export interface StableFindings {
  readonly findings: readonly Finding[]
  readonly recheckInMs: number | undefined
}

/** Separates lasting findings from transient ones. */
export type TransientFilter = (findings: readonly Finding[], nowMs: number) => StableFindings

/**
 * Returns a filter without history. Informers of several kinds run ahead of each other, so that a
 * reference or an owner may be missing for a moment. Findings that depend on them are reported
 * after
 * `lastsMs`; findings about content at once.
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

/**
 * Reports whether a finding follows from several kinds of objects, which are never read at the same
 * moment.
 */
export function mayBeTransient({ state }: Finding): boolean {
  return state === 'missing' || state === 'orphaned'
}

function keyOf({ state, namespace, revision }: Finding): string {
  return `${state}/${namespace}/${revision}`
}
