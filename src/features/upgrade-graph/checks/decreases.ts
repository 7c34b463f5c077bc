import { sourcesAmong } from '../paths/sources.ts'
import type { CheckInput } from './check-input.ts'
import { findingOf, listed, placeOf, type GraphFinding } from './finding.ts'

/** Steps to a lower version. Pure. */
export function decreaseFindings({ scopes }: CheckInput): readonly GraphFinding[] {
  return scopes.flatMap((scope) =>
    scope.targets.flatMap((target): readonly GraphFinding[] => {
      // Bundles of one version follow each other.
      const above = scope.package.versions.findIndex(({ level }) => level > target.to.level)
      const newer = sourcesAmong(target, {
        from: above === -1 ? scope.package.versions.length : above,
        until: scope.package.versions.length,
      })
      if (target.to.version === undefined || newer.count === 0) return []
      const names = newer.first.map((rank) => scope.package.versions[rank]?.name ?? '')
      return [
        findingOf('version-decreases', placeOf(scope), `there are steps from ${listed(names)}${restOf(newer)} down to ${target.to.name}`, [
          target.to.name,
        ]),
      ]
    }),
  )
}

function restOf({ count, first }: { readonly count: number; readonly first: readonly number[] }): string {
  return count > first.length ? ` and ${count - first.length} more` : ''
}
