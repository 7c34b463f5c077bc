import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { RevisionFormat } from '#features/instancetype/index.ts'
import type { AssessedRevision } from './assess-revisions.ts'
import { storedVersionsOf } from '#features/api-versions/index.ts'
import { migrateCommand } from './remediation.ts'
import type { Blocker, Finding, VersionReport } from '../types.ts'

/** Inputs of the version reports. */
export interface VersionReportInput {
  readonly format: RevisionFormat
  readonly judged: readonly AssessedRevision[]
  readonly findings: readonly Finding[]
  readonly definitions: readonly CustomResourceDefinition[]
  /** True if all objects could be read. */
  readonly isWhole: boolean
  /** Versions that are always listed. */
  readonly known: readonly string[]
}

/**
 * Reports for each version whether it can be removed from API and decoders: no stored object or
 * copy may use it, nor an unreadable copy, nor a missing one that a backup may restore.
 */
export function versionReports(evidence: VersionReportInput): VersionReport[] {
  return versionsOf(evidence).map((version) => {
    const blockers = blockersOf(version, evidence)
    const nothing = evidence.isWhole ? 'yes' : 'unknown'
    return { version, ...countsOf(version, evidence.judged), safeToRemove: blockers.length > 0 ? 'no' : nothing, blockers }
  })
}

function versionsOf({ known, format, judged, definitions }: VersionReportInput): string[] {
  const used = new Set([
    format.version,
    ...judged.flatMap(({ kept }) => (kept.object === undefined ? [] : [kept.version])),
    ...definitions.flatMap((definition) => [...servedBy(definition), ...(definition.status?.storedVersions ?? [])]),
  ])
  // Unused older versions are listed: users want to know whether they can be removed.
  const upToWanted = known.slice(0, known.indexOf(format.version) + 1)
  return [...upToWanted, ...[...used].filter((version) => !upToWanted.includes(version)).toSorted()]
}

function servedBy({ spec }: CustomResourceDefinition): string[] {
  return spec.versions.filter(({ served }) => served).map(({ name }) => name)
}

function countsOf(version: string, judged: readonly AssessedRevision[]): Omit<VersionReport, 'version' | 'safeToRemove' | 'blockers'> {
  const own = judged.filter(({ kept }) => kept.version === version && kept.object !== undefined)
  const oldest = own
    .map(({ revision }) => revision.metadata.creationTimestamp ?? '')
    .reduce((a, b) => (a === '' || (b !== '' && b < a) ? b : a), '')
  return {
    instancetypes: own.filter(({ kept }) => kept.family === 'instancetype').length,
    preferences: own.filter(({ kept }) => kept.family === 'preference').length,
    ofSnapshots: own.filter(({ revision }) => isOfSnapshot(revision)).length,
    shared: own.filter(({ kept }) => kept.shared).length,
    ...(oldest === '' ? {} : { oldest }),
  }
}

function isOfSnapshot(revision: AssessedRevision['revision']): boolean {
  return controllerOf(revision)?.kind.startsWith('VirtualMachineSnapshot') === true
}

function blockersOf(version: string, { format, findings, definitions }: VersionReportInput): Blocker[] {
  if (version === format.version) return [{ reason: 'Latest' }]
  return [
    ...definitions.flatMap((definition) => blockerOfDefinition(definition, version)),
    ...findings.flatMap((finding) => blockerIn(finding, version)),
  ]
}

function blockerOfDefinition(definition: CustomResourceDefinition, version: string): Blocker[] {
  const { storage, stale } = storedVersionsOf(definition)
  const { name = '' } = definition.metadata
  if (storage === version) return [{ reason: 'StorageVersion', object: name }]
  return stale.includes(version) ? [{ reason: 'StoredObjects', object: name, command: migrateCommand(name) }] : []
}

function blockerIn({ state, namespace, revision, version: held, command }: Finding, version: string): Blocker[] {
  const isUnsure = state === 'undecodable' || state === 'missing'
  if (held !== version && !(isUnsure && held === undefined)) return []
  const reason = state === 'undecodable' ? 'UnreadableCopy' : state === 'missing' ? 'MissingCopy' : 'Copy'
  return [{ reason, object: `${namespace}/${revision}`, command }]
}
