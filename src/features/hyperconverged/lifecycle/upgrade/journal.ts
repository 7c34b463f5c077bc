import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { PlatformUpgrade, UpgradePatchRecord } from '#api/hco/v1/status.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { FieldPath } from '../../value-at.ts'
import type { PatchOutcome } from './patches/apply-patches.ts'

/**
 * Annotation with the records of patches that the status does not have yet. It is written in one
 * request with the patched spec, so that a patch is applied and recorded at once; the status, which
 * is a request of its own, has the records afterwards.
 */
export const patchesAnnotation = 'steadyvm.io/upgrade-patches'

type Stored = Pick<HyperConverged, 'metadata' | 'status'>

/** Returns the version that the platform is at, as recorded by the operator. Pure. */
export function recordedVersion({ status }: Pick<HyperConverged, 'status'>): string | undefined {
  return status?.versions?.find(({ name }) => name === 'operator')?.version
}

/** Returns the records of all patches that have been decided about. Pure. */
export function recordedPatches(hyperconverged: Stored): readonly UpgradePatchRecord[] {
  return [...savedPatches(hyperconverged), ...unsavedPatches(hyperconverged)]
}

/** Returns the records that only the annotation has. Pure. */
export function unsavedPatches(hyperconverged: Stored): readonly UpgradePatchRecord[] {
  const saved = new Set(savedPatches(hyperconverged).map(({ id }) => id))
  return annotatedPatches(hyperconverged.metadata.annotations).filter(({ id }) => !saved.has(id))
}

function savedPatches({ status }: Stored): readonly UpgradePatchRecord[] {
  return status?.steadyvm?.upgrade?.patches ?? []
}

/** Text that anyone may have written: what is no record is left out. */
function annotatedPatches(annotations: Readonly<Record<string, string>> | undefined): readonly UpgradePatchRecord[] {
  const list = parsed(annotations?.[patchesAnnotation])
  if (!Array.isArray(list)) return []
  const records = list.filter(isRecord)
  return records.filter(({ id }, index) => records.findIndex((record) => record.id === id) === index)
}

function parsed(text = 'null'): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isRecord(value: unknown): value is UpgradePatchRecord {
  if (!isJsonObject(value)) return false
  const { id, result, version, decidedAt, reason, changes = [] } = value
  return (
    typeof id === 'string' &&
    (result === 'Applied' || result === 'Skipped') &&
    typeof version === 'string' &&
    (decidedAt === undefined || typeof decidedAt === 'string') &&
    (reason === undefined || typeof reason === 'string') &&
    Array.isArray(changes) &&
    changes.every((change) => isJsonObject(change) && typeof change['path'] === 'string')
  )
}

/** Writes records as the value of {@link patchesAnnotation}. Pure. */
export function annotationOf(records: readonly UpgradePatchRecord[]): string {
  return JSON.stringify(records)
}

/**
 * Returns the annotations of an update to which records are added that it would lose: a patch whose
 * record is lost would be applied again. Undefined: it loses none. Pure.
 */
export function keptRecords(old: Stored, next: Pick<HyperConverged, 'metadata'>): Readonly<Record<string, string>> | undefined {
  const { annotations } = next.metadata
  const present = new Set(annotatedPatches(annotations).map(({ id }) => id))
  const lost = unsavedPatches(old).filter(({ id }) => !present.has(id))
  if (lost.length === 0) return undefined
  return { ...annotations, [patchesAnnotation]: annotationOf([...annotatedPatches(annotations), ...lost]) }
}

/** Records what became of patches in an upgrade to a version. Pure. */
export function recordsOf(
  outcomes: readonly PatchOutcome[],
  { version, decidedAt }: Required<Pick<UpgradePatchRecord, 'version' | 'decidedAt'>>,
): readonly UpgradePatchRecord[] {
  return outcomes.map((outcome) => {
    const { id, result } = outcome
    if (outcome.result === 'Skipped') return { id, result, version, decidedAt, reason: outcome.reason }
    const changes = outcome.changes.map(({ path, value }) => ({ path: pointerOf(path), ...(value === undefined ? {} : { value }) }))
    return { id, result, version, decidedAt, changes }
  })
}

function pointerOf(path: FieldPath): string {
  return ['', 'spec', ...path].map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

/** Returns the path below the spec that a JSON pointer leads to. Pure. */
export function pathOfPointer(pointer: string): FieldPath {
  return pointer
    .split('/')
    .slice(2)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Returns the merge patch of the status that replaces the journal as a whole: fields that it does
 * not have are removed, which a merge would keep. Pure.
 */
export function journalChange(upgrade: PlatformUpgrade | undefined): object {
  if (upgrade === undefined) return {}
  return { upgrade: { message: null, completedAt: null, components: null, removed: null, patches: null, ...upgrade } }
}
