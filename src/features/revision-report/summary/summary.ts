import type { KubeVirt, KubeVirtCondition, KubeVirtStatus, RevisionsStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { RevisionFormat } from '#features/instancetype/index.ts'
import { upToDateCondition } from '../assessment/remediation.ts'
import type { Finding, RevisionCount } from '../types.ts'

/** Summary of all revisions, small enough for the status of the KubeVirt object. */
export interface Summary {
  readonly status: RevisionsStatus
  readonly condition: KubeVirtCondition
}

/** Inputs of the summary. */
export interface Found {
  readonly format: RevisionFormat
  /** Number of existing revisions. */
  readonly total: number
  readonly counts: readonly RevisionCount[]
  /** Stable findings. */
  readonly findings: readonly Finding[]
}

/** Summarizes findings. `generation` is that of the KubeVirt spec that sets the format. */
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

/** Returns the condition. An orphan in the wanted version does not block an upgrade. */
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

/** Returns the status patch of a KubeVirt object; undefined when it is up to date. */
export function decide({ status: old }: KubeVirt, { status, condition }: Summary, now: string): Partial<KubeVirtStatus> | undefined {
  const conditions = setCondition(old?.conditions, condition, now)
  const isSame = deepEqual(old?.steadyvm?.revisions, status)
  if (conditions === old?.conditions && isSame) return undefined
  return { ...(conditions === old?.conditions ? {} : { conditions }), ...(isSame ? {} : { steadyvm: { revisions: status } }) }
}
