import { knownVersions, type RevisionFormat } from '#features/instancetype/index.ts'
import { agesOf, driftOf } from './drift.ts'
import { findingsOf } from './findings.ts'
import { assessRevisions, findMissing, type Believes, type AssessedRevision } from './assess-revisions.ts'
import { unknownVersion, type Inspect } from './inspect-revision.ts'
import { collectReferences } from './collect-references.ts'
import type { ObjectName } from './remediation.ts'
import type { Finding, RevisionCount, RevisionReport, RevisionState, RevisionInventory } from '../types.ts'
import { versionReports } from './version-reports.ts'

/** Options of a report. */
export interface ReportOptions {
  /** Wanted format of revisions. */
  readonly format: RevisionFormat
  readonly nowMs: number
  /** KubeVirt object, for commands. */
  readonly kubevirt: ObjectName
  readonly inspect: Inspect
  /** See {@link AssessOptions}. */
  readonly believes?: Believes
}

/** Assessment of all revisions. */
export interface Examination {
  readonly judged: readonly AssessedRevision[]
  readonly findings: readonly Finding[]
  readonly counts: readonly RevisionCount[]
}

/** Assesses all revisions. */
export function examine(cluster: RevisionInventory, options: ReportOptions): Examination {
  const judging = { ...options, namings: collectReferences(cluster) }
  const judged = assessRevisions(cluster, judging)
  const findings = findingsOf(judged, findMissing(cluster, judging), { kubevirt: options.kubevirt, live: cluster.live })
  return { judged, findings, counts: countAlike(judged, findings) }
}

/** Reports the state of all captured copies, their problems, and which API versions are unused. */
export function reportOn(cluster: RevisionInventory, options: ReportOptions): RevisionReport {
  const { judged, findings, counts } = examine(cluster, options)
  const { definitions, gaps } = cluster
  return {
    wanted: options.format,
    revisions: judged.length,
    states: countStates(judged, findings),
    counts,
    versions: versionReports({ format: options.format, judged, findings, definitions, isWhole: gaps.length === 0, known: knownVersions }),
    drift: driftOf(judged, cluster.live),
    ages: agesOf(judged, options.nowMs),
    findings,
    gaps,
  }
}

function countStates(judged: readonly AssessedRevision[], findings: readonly Finding[]): Record<RevisionState, number> {
  const states: Record<RevisionState, number> = { current: 0, outdated: 0, orphaned: 0, undecodable: 0, missing: 0 }
  for (const { state } of judged) states[state] += 1
  states.missing = findings.filter(({ state }) => state === 'missing').length
  return states
}

function countAlike(judged: readonly AssessedRevision[], findings: readonly Finding[]): RevisionCount[] {
  const counts = new Map<string, RevisionCount>()
  const add = ({ family, version, state }: Omit<RevisionCount, 'count'>): void => {
    const key = `${family}/${version}/${state}`
    counts.set(key, { family, version, state, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  for (const { kept, state } of judged) add({ family: kept.family, version: kept.version, state })
  for (const { state, family = 'instancetype', version = unknownVersion } of findings)
    if (state === 'missing') add({ family, version: knownVersions.includes(version) ? version : unknownVersion, state })
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}
