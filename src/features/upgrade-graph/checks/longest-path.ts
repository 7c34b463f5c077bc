import { hopsTo } from '../paths/ways.ts'
import type { UpgradeScope } from '../semantics/scope.ts'
import type { CheckInput } from './check-input.ts'
import { findingOf, placeOf, type GraphFinding } from './finding.ts'

/** Channels in which a version is further from the head than is allowed. Pure. */
export function longestPathFindings({ scopes, maxHops }: CheckInput): readonly GraphFinding[] {
  if (maxHops === undefined) return []
  return scopes.flatMap((scope): readonly GraphFinding[] => {
    const { from, hops } = longestPath(scope)
    return hops <= maxHops || scope.head === undefined
      ? []
      : [
          findingOf(
            'longest-path',
            placeOf(scope),
            `the way from ${from} to ${scope.head.name} has ${hops} steps, and ${maxHops} are allowed`,
            [from],
          ),
        ]
  })
}

/** The version that is furthest from the head, and its number of steps. Pure. */
export function longestPath(scope: UpgradeScope): { readonly from: string; readonly hops: number } {
  const hops = scope.head === undefined ? [] : hopsTo(scope, scope.head)
  return scope.members.reduce(
    (furthest, { name, rank }) => ((hops[rank] ?? 0) > furthest.hops ? { from: name, hops: hops[rank] ?? 0 } : furthest),
    {
      from: scope.head?.name ?? '',
      hops: 0,
    },
  )
}
