import { knownVersions, type RevisionForm } from '#features/instancetype/index.ts'
import { agesOf, driftOf } from './drift.ts'
import { findingsOf } from './findings.ts'
import { judgeRevisions, missingIn, type Believes, type Judged } from './assess-revisions.ts'
import { unknownVersion, type Inspect } from './inspect-revision.ts'
import { namingsIn } from './collect-references.ts'
import type { Place } from './remediation.ts'
import type { Finding, RevisionCount, RevisionReport, RevisionState, RevisionWorld } from '../types.ts'
import { versionReports } from './version-reports.ts'

/** What a report depends on beside the world. */
export interface ReportOptions {
  /** How revisions are to be. */
  readonly form: RevisionForm
  readonly nowMs: number
  /** The KubeVirt object, for the commands that are given. */
  readonly kubevirt: Place
  readonly inspect: Inspect
  /** See {@link Judging}. */
  readonly believes?: Believes
}

/** What can be said of single revisions. */
export interface Examination {
  readonly judged: readonly Judged[]
  readonly findings: readonly Finding[]
  readonly counts: readonly RevisionCount[]
}

/** Looks at every revision. */
export function examine(world: RevisionWorld, options: ReportOptions): Examination {
  const judging = { ...options, namings: namingsIn(world) }
  const judged = judgeRevisions(world, judging)
  const findings = findingsOf(judged, missingIn(world, judging), { kubevirt: options.kubevirt, live: world.live })
  return { judged, findings, counts: countAlike(judged, findings) }
}

/**
 * Says how the copies of instance types and preferences are, what is wrong with which, and which
 * versions of the API nobody needs any more.
 */
export function reportOn(world: RevisionWorld, options: ReportOptions): RevisionReport {
  const { judged, findings, counts } = examine(world, options)
  const { definitions, gaps } = world
  return {
    wanted: options.form,
    revisions: judged.length,
    states: countStates(judged, findings),
    counts,
    versions: versionReports({ form: options.form, judged, findings, definitions, isWhole: gaps.length === 0, known: knownVersions }),
    drift: driftOf(judged, world.live),
    ages: agesOf(judged, options.nowMs),
    findings,
    gaps,
  }
}

function countStates(judged: readonly Judged[], findings: readonly Finding[]): Record<RevisionState, number> {
  const states: Record<RevisionState, number> = { current: 0, outdated: 0, orphaned: 0, undecodable: 0, missing: 0 }
  for (const { state } of judged) states[state] += 1
  states.missing = findings.filter(({ state }) => state === 'missing').length
  return states
}

function countAlike(judged: readonly Judged[], findings: readonly Finding[]): RevisionCount[] {
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
