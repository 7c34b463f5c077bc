import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { startsWith, valueAt, type FieldPath } from '../../value-at.ts'
import { pathOfPointer, recordedPatches } from './journal.ts'

/** Upgrade patch that has set a value. */
export interface PatchSource {
  /** Id of the patch. */
  readonly patch: string
  /** Version to which the upgrade was. */
  readonly version: string
}

/** Finds the upgrade patch that has set the stored value of a field, unless it was edited since. */
export type FindPatch = (path: FieldPath, stored: unknown) => PatchSource | undefined

/** Reads from the journal of upgrades which values patches have set. Pure. */
export function patchedValuesOf(hyperconverged: Pick<HyperConverged, 'metadata' | 'status'>): FindPatch {
  // The last patch of a field counts.
  const changes = recordedPatches(hyperconverged)
    .toReversed()
    .flatMap(({ id, version, changes: fields = [] }) =>
      fields.map(({ path, value }) => ({ patch: id, version, path: pathOfPointer(path), value })),
    )
  return (path, stored) => {
    const last = changes.find((change) => startsWith(path, change.path))
    if (last === undefined || stored === undefined) return undefined
    const { patch, version, value } = last
    return deepEqual(valueAt(value, path.slice(last.path.length)), stored) ? { patch, version } : undefined
  }
}
