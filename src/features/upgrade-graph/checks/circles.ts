import type { GraphVersion } from '../graph/graph.ts'
import { nextSteps, type ByRank } from '../paths/ways.ts'
import { replacesChain } from '../semantics/replaces-chain.ts'
import type { UpgradeScope } from '../semantics/scope.ts'
import type { CheckInput } from './check-input.ts'
import { channelPlace, findingOf, placeOf, type GraphFinding } from './finding.ts'

/**
 * Circles that opm does not find, since it stops at skipped entries, and versions between which OLM
 * moves back and forth. Pure.
 */
export function circleFindings({ channels, scopes, problems }: CheckInput): readonly GraphFinding[] {
  const known = new Set(problems.filter(({ id }) => id === 'cycle').map(({ object }) => object))
  const hidden = channels.flatMap(({ owner, channel }): readonly GraphFinding[] => {
    const place = channelPlace(owner.name, channel.name)
    const chain = replacesChain(channel)
    if (!('circle' in chain) || known.has(place.object)) return []
    const names = chain.circle.map(({ version: { name } }) => name)
    return [findingOf('cycle', place, `its entries replace one another in a circle: ${[...names, names[0]].join(' → ')}`, names)]
  })
  return [...hidden, ...scopes.flatMap(loops)]
}

function loops(scope: UpgradeScope): readonly GraphFinding[] {
  return circlesOf(scope, nextSteps(scope)).map((circle) =>
    findingOf(
      'upgrade-loop',
      placeOf(scope),
      `OLM upgrades in a circle: ${[...circle, circle[0]].map((version) => version?.name).join(' → ')}`,
      circle.map(({ name }) => name),
    ),
  )
}

/** Circles of the steps that OLM takes, each from its least version on. */
function circlesOf({ package: { versions } }: UpgradeScope, next: ByRank<GraphVersion | undefined>): readonly (readonly GraphVersion[])[] {
  const seenFrom = new Map<GraphVersion, GraphVersion>()
  const circles: (readonly GraphVersion[])[] = []
  for (const begin of versions) {
    let at: GraphVersion | undefined = begin
    while (at !== undefined && !seenFrom.has(at)) {
      seenFrom.set(at, begin)
      at = next[at.rank]
    }
    if (at === undefined || seenFrom.get(at) !== begin) continue
    const circle = [at]
    for (let other = next[at.rank]; other !== undefined && other !== at; other = next[other.rank]) circle.push(other)
    const least = circle.indexOf(circle.reduce((one, other) => (other.rank < one.rank ? other : one)))
    circles.push([...circle.slice(least), ...circle.slice(0, least)])
  }
  return circles
}
