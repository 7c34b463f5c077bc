import { compareSemver, parseSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseSemverSpans, SemverRangeError } from '#apimachinery/version/semver-range.ts'
import {
  catalogOf,
  versionOf,
  type CatalogBundle,
  type CatalogChannel,
  type CatalogDeprecations,
  type CatalogObject,
  type ChannelEntry,
} from '../catalog/catalog.ts'
import { rangeProblem } from '../catalog/validate-catalog.ts'
import {
  joinSpans,
  type ChannelGraph,
  type GraphEntry,
  type GraphVersion,
  type PackageGraph,
  type RankSpan,
  type UpgradeGraph,
} from './graph.ts'

/** Order of versions that differs from that of their numbers, by the names of bundles. */
export type VersionOrder = (one: string, other: string) => number

/**
 * Builds the upgrade graph of a catalog, also of one that opm refuses: what is repeated counts
 * once, and versions without a bundle are of unknown version. Pure.
 */
export function buildGraph(objects: readonly CatalogObject[], order?: VersionOrder): UpgradeGraph {
  const { packages, channels, bundles, deprecations } = catalogOf(objects)
  const ownerOf = ({ package: owner = '' }: CatalogObject): string => owner
  const byPackage = {
    channels: Map.groupBy(channels, ownerOf),
    bundles: Map.groupBy(bundles, ownerOf),
    deprecations: Map.groupBy(deprecations, ownerOf),
  }
  const names = new Set([...packages.map(({ name = '' }) => name), ...byPackage.channels.keys(), ...byPackage.bundles.keys()])
  return {
    packages: [...names].toSorted(byText).map((name) =>
      packageGraph({
        name,
        defaultChannel: packages.find((one) => one.name === name)?.defaultChannel ?? '',
        channels: byPackage.channels.get(name) ?? [],
        bundles: byPackage.bundles.get(name) ?? [],
        deprecations: byPackage.deprecations.get(name) ?? [],
        order,
      }),
    ),
  }
}

/** Compares texts as Go does, byte by byte. */
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

interface PackageParts {
  readonly name: string
  readonly defaultChannel: string
  readonly channels: readonly CatalogChannel[]
  readonly bundles: readonly CatalogBundle[]
  readonly deprecations: readonly CatalogDeprecations[]
  readonly order: VersionOrder | undefined
}

function packageGraph({ name, defaultChannel, channels, bundles, deprecations, order }: PackageParts): PackageGraph {
  const messages = messagesOf(deprecations)
  const versions = versionsOf(channels, bundles, messages, order)
  const byName = new Map(versions.map((version) => [version.name, version]))
  const ranges = rangeReader(versions, order)
  const unique = new Map(channels.map((channel) => [channel.name ?? '', channel]))
  return {
    name,
    defaultChannel,
    deprecation: messages.get('olm.package/'),
    versions,
    byName,
    channels: [...unique]
      .toSorted(([one], [other]) => byText(one, other))
      .map(([channelName, { entries = [] }]) =>
        channelGraph(
          { packageName: name, name: channelName, deprecation: messages.get(`olm.channel/${channelName}`) },
          entries,
          byName,
          ranges,
        ),
      ),
  }
}

/** Messages by schema and name. */
function messagesOf(deprecations: readonly CatalogDeprecations[]): ReadonlyMap<string, string> {
  return new Map(
    deprecations
      .flatMap(({ entries = [] }) => entries)
      .map(({ reference: { schema = '', name = '' } = {}, message = '' }) => [
        `${schema}/${schema === 'olm.package' ? '' : name}`,
        message,
      ]),
  )
}

/** A version that is not in its place yet. */
interface Unplaced extends Omit<GraphVersion, 'rank' | 'level'> {
  readonly release: readonly string[]
}

function versionsOf(
  channels: readonly CatalogChannel[],
  bundles: readonly CatalogBundle[],
  messages: ReadonlyMap<string, string>,
  order: VersionOrder | undefined,
): readonly GraphVersion[] {
  const named = channels.flatMap(({ entries = [] }) => entries.flatMap(({ name, replaces = '', skips = [] }) => [name, replaces, ...skips]))
  const bundleByName = new Map(bundles.toReversed().map((bundle) => [bundle.name ?? '', bundle]))
  const names = new Set([...bundleByName.keys(), ...named].filter((name) => name !== ''))
  const unplaced = [...names].map((name): Unplaced => {
    const bundle = bundleByName.get(name)
    const found = bundle === undefined ? undefined : versionOf(bundle)
    const text = found === undefined ? '' : `${found.version}${found.release === '' ? '' : `-${found.release}`}`
    return {
      name,
      version: parseSemver(found?.version ?? ''),
      text,
      release: (found?.release ?? '').split('.').filter((part) => part !== ''),
      deprecation: messages.get(`olm.bundle/${name}`),
    }
  })
  const sorted = unplaced.toSorted((one, other) => compareVersions(one, other, order))
  const levels = levelsOf(sorted, order)
  return sorted.map(({ release: _release, ...version }, rank) => ({ ...version, rank, level: levels[rank] ?? 0 }))
}

const zero: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [] }

/** Numbers the versions by their order, and puts those that are unknown at the place of 0.0.0. */
function levelsOf(sorted: readonly Unplaced[], order: VersionOrder | undefined): readonly number[] {
  let [level, unknown] = [0, -0.5]
  const levels = sorted.map((one, index) => {
    if (one.version === undefined) return undefined
    const before = sorted[index - 1]
    const isSame =
      before?.version !== undefined &&
      (order === undefined ? compareSemver(before.version, one.version) : order(before.name, one.name)) === 0
    level += isSame ? 0 : 1
    const toZero = compareSemver(one.version, zero)
    if (order === undefined && toZero <= 0) unknown = toZero === 0 ? level : level + 0.5
    return level
  })
  return levels.map((each) => each ?? unknown)
}

function compareVersions(one: Unplaced, other: Unplaced, order: VersionOrder | undefined): number {
  if (one.version === undefined || other.version === undefined)
    return Number(one.version !== undefined) - Number(other.version !== undefined) || byText(one.name, other.name)
  const byVersion = order === undefined ? compareSemver(one.version, other.version) : order(one.name, other.name)
  return byVersion || compareReleases(one.release, other.release) || byText(one.name, other.name)
}

/** A version without a release is less than one with it; else they compare as pre-releases do. */
function compareReleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return Math.sign(one.length - other.length)
  const asVersion = (prerelease: readonly string[]): SemanticVersion => ({ numbers: [0n, 0n, 0n], prerelease })
  return compareSemver(asVersion(one), asVersion(other))
}

type RangeReader = (text: string) => readonly RankSpan[]

/** Reads ranges into ranks, in a time that does not depend on how many versions are in a range. */
function rangeReader(versions: readonly GraphVersion[], order: VersionOrder | undefined): RangeReader {
  const byNumber = (order === undefined ? [...versions] : versions.toSorted(compareNumbers)).filter(({ version }) => version !== undefined)
  /** The first position whose version is not before another one. */
  const positionOf = (version: SemanticVersion): number => {
    let [low, high] = [0, byNumber.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const { version: at } = byNumber[middle] ?? {}
      if (at !== undefined && compareSemver(at, version) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
  const known = new Map<string, readonly RankSpan[]>()
  const read = (text: string): readonly RankSpan[] => {
    if (rangeProblem(text) !== undefined) return []
    const positions = spansOf(text).map(({ from, until }) => ({
      from: from === undefined ? 0 : positionOf(from),
      until: until === undefined ? byNumber.length : positionOf(until),
    }))
    const ranks = positions.flatMap(({ from, until }) =>
      order === undefined
        ? [{ from: rankAt(byNumber, from, versions.length), until: rankAt(byNumber, until, versions.length) }]
        : byNumber.slice(from, until).map(({ rank }) => ({ from: rank, until: rank + 1 })),
    )
    return joinSpans(ranks)
  }
  return (text) => {
    const found = known.get(text) ?? (text === '' ? [] : read(text))
    known.set(text, found)
    return found
  }
}

function rankAt(sorted: readonly GraphVersion[], position: number, end: number): number {
  return sorted[position]?.rank ?? end
}

function compareNumbers(one: GraphVersion, other: GraphVersion): number {
  if (one.version === undefined || other.version === undefined)
    return Number(one.version !== undefined) - Number(other.version !== undefined)
  return compareSemver(one.version, other.version)
}

function spansOf(text: string): ReturnType<typeof parseSemverSpans> {
  try {
    return parseSemverSpans(text)
  } catch (error) {
    if (error instanceof SemverRangeError) return []
    throw error
  }
}

function channelGraph(
  identity: Pick<ChannelGraph, 'packageName' | 'name' | 'deprecation'>,
  entries: readonly ChannelEntry[],
  versions: ReadonlyMap<string, GraphVersion>,
  ranges: RangeReader,
): ChannelGraph {
  const unique = new Map<string, GraphEntry>()
  for (const { name, replaces = '', skips = [], skipRange = '' } of entries) {
    const version = versions.get(name)
    if (version === undefined || unique.has(name)) continue
    unique.set(name, { version, replaces, skips, skipRange, range: ranges(skipRange) })
  }
  const all = [...unique.values()]
  return { ...identity, entries: all, byName: unique, skipped: new Set(all.flatMap(({ skips }) => skips)) }
}
