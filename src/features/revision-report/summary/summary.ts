import type { KubeVirt, KubeVirtCondition, KubeVirtStatus, RevisionsStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { RevisionFormat } from '#features/instancetype/index.ts'
import { upToDateCondition } from '../assessment/remediation.ts'
import type { Finding, RevisionCount } from '../types.ts'

/** All revisions in few words: what a KubeVirt object can carry. */
export interface Summary {
  readonly status: RevisionsStatus
  readonly condition: KubeVirtCondition
}

/** What is summed up. */
export interface Found {
  readonly format: RevisionFormat
  /** Revisions that are there. */
  readonly total: number
  readonly counts: readonly RevisionCount[]
  /** Those that count. */
  readonly findings: readonly Finding[]
}

/** Sums up what was found. `generation` is that of the spec that says how revisions are to be. */
export function summarize({ format, total, counts, findings }: Found, generation: number | undefined): Summary {
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length
  const missing = count('missing')
  const status: RevisionsStatus = {
    version: format.version,
    sharing: format.sharing,
    total,
    upToDate: total - (findings.length - missing),
    outdated: count('outdated'),
    orphaned: count('orphaned'),
    undecodable: count('undecodable'),
    missing,
    versions: versionsIn(counts),
  }
  const condition = { type: upToDateCondition, ...verdictOn(status, findings) }
  return { status, condition: generation === undefined ? condition : { ...condition, observedGeneration: generation } }
}

function versionsIn(counts: readonly RevisionCount[]): NonNullable<RevisionsStatus['versions']> {
  const versions = new Map<string, number>()
  for (const { version, state, count } of counts) if (state !== 'missing') versions.set(version, (versions.get(version) ?? 0) + count)
  return [...versions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([version, count]) => ({ version, count }))
}

/** An orphan at the version that is wanted is in nobody's way. */
function verdictOn(status: RevisionsStatus, findings: readonly Finding[]): Pick<KubeVirtCondition, 'status' | 'reason' | 'message'> {
  const inTheWay = findings.filter(({ state, version }) => state !== 'orphaned' || version !== status.version)
  if (inTheWay.length === 0)
    return { status: 'True', reason: 'UpToDate', message: `all ${status.total} revisions are at ${status.version}` }
  const worst = (['missing', 'undecodable', 'outdated', 'orphaned'] as const).filter((state) => status[state] > 0)
  const words = worst.toReversed().map((state) => `${status[state]} ${state}`)
  return {
    status: 'False',
    reason: reasons[worst[0] ?? 'outdated'],
    message: `not all of ${status.total} revisions are at ${status.version}: ${words.join(', ')}; "steadyvm revisions" says which`,
  }
}

const reasons = {
  missing: 'RevisionsMissing',
  undecodable: 'RevisionsUndecodable',
  outdated: 'RevisionsOutdated',
  orphaned: 'RevisionsOrphaned',
} as const

/**
 * What is to be written into the status of a KubeVirt object; undefined when it says so already.
 */
export function decide({ status: old }: KubeVirt, { status, condition }: Summary, now: string): Partial<KubeVirtStatus> | undefined {
  const conditions = setCondition(old?.conditions, condition, now)
  const isSame = deepEqual(old?.steadyvm?.revisions, status)
  if (conditions === old?.conditions && isSame) return undefined
  return { ...(conditions === old?.conditions ? {} : { conditions }), ...(isSame ? {} : { steadyvm: { revisions: status } }) }
}
