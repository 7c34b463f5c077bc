import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { changedPaths } from '../../../components/objects/changed-paths.ts'
import { valueAt, type FieldPath } from '../../../value-at.ts'
import type { UpgradePatch } from './patch-file.ts'

/** A field that a patch has changed. */
export interface PatchedField {
  /** Path below the spec. */
  readonly path: FieldPath
  /** Undefined: the field was removed. */
  readonly value: unknown
}

/** What became of a patch. */
export type PatchOutcome =
  | { readonly id: string; readonly result: 'Applied'; readonly changes: readonly PatchedField[] }
  /** Its precondition did not hold. */
  | { readonly id: string; readonly result: 'Skipped'; readonly reason: string }

/** A spec after the patches of an upgrade, and what became of each patch. */
export interface PatchedSpec {
  readonly spec: unknown
  readonly outcomes: readonly PatchOutcome[]
}

/**
 * Applies the patches for an upgrade from a version, in the order of the file; each sees the result
 * of those before. A patch is applied as a whole or not at all: it is skipped when a `test` does
 * not hold, or when it leads to a path that is absent. Upstream stops the upgrade for the latter.
 * Pure.
 *
 * @throws {JsonPatchError} when a patch is malformed
 */
export function applyUpgradePatches(spec: unknown, from: SemanticVersion, patches: readonly UpgradePatch[]): PatchedSpec {
  return patches
    .filter(({ range }) => range(from))
    .reduce<PatchedSpec>(
      (before, { id, operations, options }) => {
        try {
          const after = applyJsonPatch({ spec: before.spec }, operations, { ...options, refusesAbsentValues: true }) as {
            readonly spec: unknown
          }
          const changes = changedPaths(before.spec, after.spec).map((path) => ({ path, value: valueAt(after.spec, path) }))
          return { spec: after.spec, outcomes: [...before.outcomes, { id, result: 'Applied', changes }] }
        } catch (error) {
          if (!(error instanceof JsonPatchError) || error.kind === 'malformed') throw error
          return { ...before, outcomes: [...before.outcomes, { id, result: 'Skipped', reason: error.message }] }
        }
      },
      { spec, outcomes: [] },
    )
}
