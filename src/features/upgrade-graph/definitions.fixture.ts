import { compareSemver, parseSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseSemverRange, SemverRangeError } from '#apimachinery/version/semver-range.ts'
import { catalogOf, versionOf, type CatalogObject, type ChannelEntry } from './catalog/catalog.ts'

/**
 * The definitions of the checks, written down as directly as possible: every way is tried out, and
 * nothing is remembered. Tests compare the checks with them on small graphs.
 */

/** A channel by its entries, as OLM v0 sees it. */
export interface DefinedChannel {
  readonly name: string
  readonly entries: readonly ChannelEntry[]
  readonly heads: readonly string[]
  /** Entries along `replaces` from the only head; the last one is there twice for a circle. */
  readonly walk: readonly ChannelEntry[]
  readonly isCircle: boolean
  readonly skipped: readonly string[]
  /** Entries that OLM v0 may choose, in its order. */
  readonly chosen: readonly ChannelEntry[]
}

/** A graph by its definitions. */
export interface DefinedGraph {
  readonly channels: readonly DefinedChannel[]
  readonly versionOf: (name: string) => SemanticVersion | undefined
  readonly isStep: (from: string, to: ChannelEntry) => boolean
  readonly isDeprecated: (name: string) => boolean
}

/** Reads a catalog of one package. */
export function defineGraph(objects: readonly CatalogObject[]): DefinedGraph {
  const { channels, bundles, deprecations } = catalogOf(objects)
  const version = (name: string): SemanticVersion | undefined => {
    const bundle = bundles.find((one) => one.name === name)
    return bundle === undefined ? undefined : parseSemver(versionOf(bundle)?.version ?? '')
  }
  const deprecated = deprecations.flatMap(({ entries = [] }) => entries.map(({ reference }) => reference?.name ?? ''))
  return {
    versionOf: version,
    isDeprecated: (name) => deprecated.includes(name),
    isStep: (from, { name, replaces, skips = [], skipRange = '' }) => {
      const at = version(from)
      return from !== name && (replaces === from || skips.includes(from) || (at !== undefined && isInRange(skipRange, at)))
    },
    channels: channels.map(({ name = '', entries = [] }) => defineChannel(name, entries)),
  }
}

function isInRange(range: string, version: SemanticVersion): boolean {
  return isReadable(range) && parseSemverRange(range)(version)
}

/** Reports whether a range can be read. */
export function isReadable(range: string): boolean {
  try {
    parseSemverRange(range)
    return true
  } catch (error) {
    if (error instanceof SemverRangeError) return false
    throw error
  }
}

function defineChannel(name: string, entries: readonly ChannelEntry[]): DefinedChannel {
  const skipped = entries.flatMap(({ skips = [] }) => skips)
  const heads = entries
    .map((entry) => entry.name)
    .filter((one) => !skipped.includes(one) && entries.every(({ replaces }) => replaces !== one))
  const find = (one: string | undefined): ChannelEntry | undefined => entries.find((entry) => entry.name === one)
  const follow = (at: ChannelEntry | undefined, way: readonly ChannelEntry[]): readonly ChannelEntry[] =>
    at === undefined ? way : way.includes(at) ? [...way, at] : follow(find(at.replaces), [...way, at])
  const walk = heads.length === 1 ? follow(find(heads[0]), []) : []
  const isCircle = new Set(walk).size < walk.length
  return { name, entries, heads, walk, isCircle, skipped, chosen: isCircle ? [] : walk.filter((entry) => !skipped.includes(entry.name)) }
}

/** All ways without repetition from a version to another one, over some entries. */
export function waysBetween(
  graph: DefinedGraph,
  targets: readonly ChannelEntry[],
  from: string,
  to: string,
): readonly (readonly string[])[] {
  const extend = (way: readonly string[]): readonly (readonly string[])[] => {
    const at = way.at(-1) ?? ''
    if (at === to) return [way]
    return targets
      .filter((target) => !way.includes(target.name) && graph.isStep(at, target))
      .flatMap((target) => extend([...way, target.name]))
  }
  return extend([from])
}

/** The least number of steps; undefined when there is no way. */
export function leastSteps(graph: DefinedGraph, targets: readonly ChannelEntry[], from: string, to: string): number | undefined {
  const lengths = waysBetween(graph, targets, from, to).map((way) => way.length - 1)
  return lengths.length === 0 ? undefined : Math.min(...lengths)
}

/** Compares two versions; undefined when one is unknown. */
export function compareNames(graph: DefinedGraph, one: string, other: string): number | undefined {
  const [left, right] = [graph.versionOf(one), graph.versionOf(other)]
  return left === undefined || right === undefined ? undefined : compareSemver(left, right)
}
