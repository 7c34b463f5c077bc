import type { RequiredStop } from '../checks/check-input.ts'
import type { GraphVersion, PackageGraph } from '../graph/graph.ts'
import { isStep, type UpgradeScope, type UpgradeTarget } from '../semantics/scope.ts'
import { hopsTo, nextSteps, shortestWay, takenFrom } from './ways.ts'

/** Ways from one version to another, in a channel or in a package. */
export interface Route {
  readonly package: string
  /** Undefined: the package as a whole. */
  readonly channel: string | undefined
  readonly from: string
  readonly to: string
  /**
   * With the least number of steps, of those that jump over no required version; undefined: there
   * is none.
   */
  readonly shortest: readonly string[] | undefined
  /** What OLM takes by itself, as far as it goes, or until it is at the goal. */
  readonly taken: readonly string[]
}

/** Finds a version by the name of its bundle, or by its number with or without `v`. Pure. */
export function findVersions({ versions }: PackageGraph, text: string): readonly GraphVersion[] {
  const number = text.replace(/^v/, '')
  const named = versions.filter(({ name }) => name === text)
  return named.length > 0 ? named : versions.filter((version) => version.text === number && version.text !== '')
}

/**
 * Finds the ways from one version to another that jump over no required version. Without a goal it
 * is the head. Pure.
 */
export function findRoute(scope: UpgradeScope, from: GraphVersion, to: GraphVersion, stops: readonly RequiredStop[]): Route {
  const { package: owner, channel } = scope
  const taken = takenFrom(from, nextSteps(scope))
  const reached = taken.indexOf(to)
  const way = stops.length === 0 ? shortestWay(scope, from, to) : shortestAllowed(scope, from, to, stops)
  return {
    package: owner.name,
    channel,
    from: from.name,
    to: to.name,
    shortest: way?.map(({ name }) => name),
    taken: (reached === -1 ? taken : taken.slice(0, reached + 1)).map(({ name }) => name),
  }
}

/** Searches from the goal; a step counts when it jumps over no required version. */
function shortestAllowed(
  scope: UpgradeScope,
  from: GraphVersion,
  to: GraphVersion,
  stops: readonly RequiredStop[],
): readonly GraphVersion[] | undefined {
  const { versions } = scope.package
  const targetAt = new Map(scope.targets.map((target) => [target.to, target]))
  const onward = new Map<GraphVersion, GraphVersion | undefined>([[to, undefined]])
  // Versions that no step has been found from. Each goal divides them once.
  let left = versions.filter((version) => version !== to)
  for (const at of onward.keys()) {
    const target = targetAt.get(at)
    if (target === undefined || onward.has(from)) continue
    const isAllowed = (version: GraphVersion): boolean => isStep(version, target) && !jumps(version, target, stops)
    const { found = [], others = [] } = Object.groupBy(left, (version) => (isAllowed(version) ? 'found' : 'others'))
    for (const version of found) onward.set(version, at)
    left = others
  }
  if (!onward.has(from)) return undefined
  const way: GraphVersion[] = []
  for (let at: GraphVersion | undefined = from; at !== undefined; at = onward.get(at)) way.push(at)
  return way
}

/** Reports whether a step jumps over a required version. Pure. */
export function jumps(from: GraphVersion, { to }: UpgradeTarget, stops: readonly RequiredStop[]): boolean {
  return stops.some(({ compare }) => compare(from) < 0 && compare(to) > 0)
}

/**
 * The number of steps from a version to the head of a scope; undefined when there is no way. Pure.
 */
export function hopsToHead(scope: UpgradeScope): readonly (number | undefined)[] {
  return scope.head === undefined ? [] : hopsTo(scope, scope.head)
}
