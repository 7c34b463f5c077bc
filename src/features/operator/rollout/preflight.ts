import type { KubeVirt, UpgradeFinding, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ReleaseTarget } from './target-version.ts'

/** An upgrade that is checked before it begins. */
export interface UpgradePath {
  readonly kubevirt: KubeVirt
  /** Installed version. */
  readonly from: string
  readonly to: string
}

/** Result of a check. Findings with `blocks` prevent the upgrade. */
export type PreflightResult = Pick<UpgradePlan, 'findings'> & Partial<Pick<UpgradePlan, 'steps' | 'gaps'>>

/** Checks the cluster before an upgrade, without changing it. */
export type Preflight = (way: UpgradePath, options: { readonly signal: AbortSignal }) => Promise<PreflightResult>

/** Milliseconds until a refused upgrade is checked again. */
export const recheckMs = 10_000
/** Limit of findings in the status, which shares the size limit of the KubeVirt object. */
const mostFindings = 50

/**
 * Runs the checks and caches the plan: most events that wake the operator do not change it, and the
 * checks read the whole cluster.
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
    const results: PreflightResult[] = []
    for (const look of looks) results.push(await look(way, { signal }))
    const plan = planOf(way, strategy.identifier, results)
    last = { about, untilMs: clock.now() + recheckMs, plan }
    return plan
  }
}

/** Builds the plan for the status: blocking findings first, up to the limit. Pure. */
export function planOf(
  { from, to }: Pick<UpgradePath, 'from' | 'to'>,
  deploymentID: string,
  results: readonly PreflightResult[],
): UpgradePlan {
  const findings: readonly UpgradeFinding[] = results.flatMap((result) => result.findings)
  const inOrder = [...findings.filter(({ blocks }) => blocks), ...findings.filter(({ blocks }) => !blocks)]
  return {
    from,
    to,
    deploymentID,
    refused: inOrder[0]?.blocks === true,
    findings: inOrder.slice(0, mostFindings),
    // Also when empty: a merge patch would keep the previous values.
    steps: results.flatMap(({ steps = [] }) => steps),
    gaps: results.flatMap(({ gaps = [] }) => gaps),
  }
}
