import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { RevisionFormat } from '#features/instancetype/index.ts'
import type { AssessedRevision } from './assess-revisions.ts'
import { storedVersionsOf } from '#features/api-versions/index.ts'
import { migrateCommand } from './remediation.ts'
import type { Blocker, Finding, VersionReport } from '../types.ts'

/** What a verdict is made of. */
export interface VersionReportInput {
  readonly format: RevisionFormat
  readonly judged: readonly AssessedRevision[]
  readonly findings: readonly Finding[]
  readonly definitions: readonly CustomResourceDefinition[]
  /** Whether everything was seen. */
  readonly isWhole: boolean
  /** Versions to speak about in any case. */
  readonly known: readonly string[]
}

/**
 * Says of each version whether it may be removed from the API and from the decoders. Nothing that
 * is stored may need it: no object, no copy, and nothing that may turn out to be such a copy,
 * because nobody can read it, or because it is missing and may come back from a backup.
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
  // Older ones that nobody uses are worth a line: they are what is asked about.
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

function isOfSnapshot({ metadata }: AssessedRevision['revision']): boolean {
  return metadata.ownerReferences?.some(({ controller, kind }) => controller === true && kind.startsWith('VirtualMachineSnapshot')) === true
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
