import type { KubeVirt, UpgradeFinding, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import type { Clock } from '#runtime/clock.ts'
import type { ReleaseTarget } from './target-version.ts'

/** The way that is looked at before it is gone. */
export interface UpgradePath {
  readonly kubevirt: KubeVirt
  /** Version that is in place. */
  readonly from: string
  readonly to: string
}

/** What was seen: what `blocks` keeps the upgrade from beginning. */
export type PreflightResult = Pick<UpgradePlan, 'findings'> & Partial<Pick<UpgradePlan, 'steps' | 'gaps'>>

/** Looks at the cluster before an upgrade, and changes nothing. */
export type Preflight = (way: UpgradePath, options: { readonly signal: AbortSignal }) => Promise<PreflightResult>

/** Milliseconds until a way that is not free is looked at again. */
export const recheckMs = 10_000
/**
 * Findings that are kept in the status: it is an object like others, and not to be filled by them.
 */
const mostFindings = 50

/**
 * Makes plans, and remembers the last one for a while: what wakes the operator is mostly no reason
 * to look at the whole cluster again.
 */
export function createPlanner(
  looks: readonly Preflight[],
  clock: Clock,
): (way: UpgradePath, goal: ReleaseTarget, signal: AbortSignal) => Promise<UpgradePlan> {
  let last: { readonly about: string; readonly untilMs: number; readonly plan: UpgradePlan } | undefined
  return async (way, { strategy }, signal) => {
    const { metadata } = way.kubevirt
    const about = JSON.stringify([strategy.identifier, metadata.generation, metadata.annotations])
    if (last?.about === about && clock.now() < last.untilMs) return last.plan
    const seen: PreflightResult[] = []
    for (const look of looks) seen.push(await look(way, { signal }))
    const plan = planOf(way, strategy.identifier, seen)
    last = { about, untilMs: clock.now() + recheckMs, plan }
    return plan
  }
}

/**
 * Writes down what was found: what is in the way first, and not more than a status can hold. Pure.
 */
export function planOf(
  { from, to }: Pick<UpgradePath, 'from' | 'to'>,
  deploymentID: string,
  seen: readonly PreflightResult[],
): UpgradePlan {
  const findings: readonly UpgradeFinding[] = seen.flatMap((sight) => sight.findings)
  const inOrder = [...findings.filter(({ blocks }) => blocks), ...findings.filter(({ blocks }) => !blocks)]
  return {
    from,
    to,
    deploymentID,
    refused: inOrder[0]?.blocks === true,
    findings: inOrder.slice(0, mostFindings),
    // Also when they are empty: a patch would keep what an earlier look has seen.
    steps: seen.flatMap(({ steps = [] }) => steps),
    gaps: seen.flatMap(({ gaps = [] }) => gaps),
  }
}
