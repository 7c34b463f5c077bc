import type { GraphVersion } from '../graph/graph.ts'
import { sourcesAmong } from '../paths/sources.ts'
import type { UpgradeScope } from '../semantics/scope.ts'
import type { CheckInput, RequiredStop } from './check-input.ts'
import { findingOf, listed, placeOf, type GraphFinding } from './finding.ts'

/** Steps over a version that no upgrade may jump over. Pure. */
export function requiredStopFindings({ scopes, requiredStops }: CheckInput): readonly GraphFinding[] {
  return scopes.flatMap((scope) => requiredStops.flatMap((stop) => jumpsOver(scope, stop)))
}

function jumpsOver(scope: UpgradeScope, stop: RequiredStop): readonly GraphFinding[] {
  const { versions } = scope.package
  const isBefore = (version: GraphVersion): boolean => version.version !== undefined && stop.compare(version) < 0
  // Versions are in order, so that those before the stop are successive.
  const from = versions.findIndex(isBefore)
  const until = versions.findLastIndex(isBefore) + 1
  if (from === -1) return []
  return scope.targets
    .filter(({ to }) => to.version !== undefined && stop.compare(to) > 0)
    .flatMap((target): readonly GraphFinding[] => {
      const { count, first } = sourcesAmong(target, { from, until })
      if (count === 0) return []
      const names = first.map((rank) => versions[rank]?.name ?? '')
      const rest = count > first.length ? ` and ${count - first.length} more` : ''
      return [
        findingOf(
          'missing-required-stop',
          placeOf(scope),
          `steps from ${listed(names)}${rest} to ${target.to.name} jump over ${stop.text}`,
          [target.to.name],
        ),
      ]
    })
}
