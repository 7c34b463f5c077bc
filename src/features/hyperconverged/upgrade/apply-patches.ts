import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import type { UpgradePatch } from './patch-file.ts'

/** A spec after the patches of an upgrade, and what became of each patch. */
export interface PatchedSpec {
  readonly spec: unknown
  /** Ids of the patches that were applied. */
  readonly applied: readonly string[]
  /** Ids of the patches whose precondition did not hold. */
  readonly skipped: readonly string[]
}

/**
 * Applies the patches for an upgrade from a version, in the order of the file; each sees the result
 * of those before. A patch is applied as a whole or not at all: it is skipped when a `test` does not
 * hold, or when it leads to a path that is absent. Upstream stops the upgrade for the latter. Pure.
 *
 * @throws {JsonPatchError} when a patch is malformed
 */
export function applyUpgradePatches(spec: unknown, from: SemanticVersion, patches: readonly UpgradePatch[]): PatchedSpec {
  return patches
    .filter(({ range }) => range(from))
    .reduce<PatchedSpec>(
      (before, { id, operations, options }) => {
        try {
          const after = applyJsonPatch({ spec: before.spec }, operations, options) as { readonly spec: unknown }
          return { ...before, spec: after.spec, applied: [...before.applied, id] }
        } catch (error) {
          if (!(error instanceof JsonPatchError) || error.kind === 'malformed') throw error
          return { ...before, skipped: [...before.skipped, id] }
        }
      },
      { spec, applied: [], skipped: [] },
    )
}
