import { parseSemverRange } from '#apimachinery/version/semver-range.ts'
import { rangeProblem } from '../catalog/validate-catalog.ts'
import { isInSpans, type ChannelGraph, type GraphEntry, type GraphVersion, type PackageGraph, type UpgradeGraph } from '../graph/graph.ts'

/** A graph as it is drawn: packages and channels in the order of their names. */
export interface Drawing {
  readonly packages: readonly DrawnPackage[]
}

/** A package of a drawing. */
export interface DrawnPackage {
  readonly name: string
  readonly isDeprecated: boolean
  readonly channels: readonly DrawnChannel[]
}

/** A channel of a drawing. */
export interface DrawnChannel {
  readonly name: string
  readonly isDeprecated: boolean
  /** The greatest versions first. */
  readonly entries: readonly DrawnEntry[]
}

/** An entry of a drawing, and the steps that lead to it. */
export interface DrawnEntry {
  readonly name: string
  readonly isDeprecated: boolean
  /** OLM v0 never chooses it. */
  readonly isSkipped: boolean
  readonly edges: readonly DrawnEdge[]
}

/** A step of a drawing. */
export interface DrawnEdge {
  readonly from: string
  readonly kind: 'skip' | 'skipRange' | 'replace'
  /** The range; empty for other kinds. */
  readonly range: string
  /** OLM v0 never takes it, since it leads to a skipped version. */
  readonly isIgnored: boolean
}

/** What is drawn. */
export interface DrawingOptions {
  readonly package?: string
  readonly channel?: string
  /** Bundle below which nothing is drawn, and in whose package. */
  readonly minimumEdge?: string
  /** Marks what OLM v0 never takes. */
  readonly marksV0?: boolean
}

/** Selects what is drawn, as `opm alpha render-graph` does. Pure. */
export function drawingOf({ packages }: UpgradeGraph, options: DrawingOptions = {}): Drawing {
  const { minimumEdge } = options
  const floor = minimumEdge === undefined ? undefined : floorOf(packages, minimumEdge)
  return {
    packages: packages
      .filter((one) => options.package === undefined || one.name === options.package)
      .filter((one) => floor === undefined || one === floor.owner)
      .map((one) => ({
        name: one.name,
        isDeprecated: one.deprecation !== undefined,
        channels: one.channels
          .filter((channel) => options.channel === undefined || channel.name === options.channel)
          .flatMap((channel) => drawnChannel(one, channel, options, floor?.version)),
      }))
      .filter(({ channels }) => channels.length > 0),
  }
}

interface Floor {
  readonly owner: PackageGraph
  readonly version: GraphVersion
}

function floorOf(packages: readonly PackageGraph[], name: string): Floor | undefined {
  for (const owner of packages) {
    const version = owner.byName.get(name)
    if (version !== undefined && owner.channels.some((channel) => channel.byName.has(name))) return { owner, version }
  }
  return undefined
}

function drawnChannel(
  owner: PackageGraph,
  channel: ChannelGraph,
  { marksV0 = false }: DrawingOptions,
  floor: GraphVersion | undefined,
): readonly DrawnChannel[] {
  const kept = floor === undefined ? channel.entries : channel.entries.flatMap((entry) => entryAbove(owner, entry, floor))
  if (kept.length === 0 && floor !== undefined) return []
  const skipped = marksV0 ? channel.skipped : new Set<string>()
  const sorted = kept.toSorted((one, other) => other.version.level - one.version.level)
  return [
    {
      name: channel.name,
      isDeprecated: channel.deprecation !== undefined,
      entries: sorted.map((entry) => ({
        name: entry.version.name,
        isDeprecated: entry.version.deprecation !== undefined,
        isSkipped: skipped.has(entry.version.name),
        edges: edgesTo(entry, kept, skipped.has(entry.version.name)),
      })),
    },
  ]
}

/**
 * What is left of an entry when nothing below a version is drawn; nothing when it is below itself.
 */
function entryAbove(owner: PackageGraph, entry: GraphEntry, floor: GraphVersion): readonly GraphEntry[] {
  const bare: GraphEntry = { ...entry, replaces: '', skips: [], skipRange: '', range: [] }
  if (entry.version === floor) return [bare]
  const isAbove = (name: string): boolean => (owner.byName.get(name)?.level ?? -1) >= floor.level
  const above: GraphEntry = {
    ...entry,
    replaces: entry.replaces !== '' && isAbove(entry.replaces) ? entry.replaces : '',
    skips: entry.skips.filter(isAbove),
    ...(isInRangeOf(entry)(floor) ? {} : { skipRange: '', range: [] }),
  }
  if (hasEdge(above)) return [above]
  return !hasEdge(entry) && isAbove(entry.version.name) ? [bare] : []
}

function hasEdge({ replaces, skips, skipRange }: GraphEntry): boolean {
  return replaces !== '' || skips.length > 0 || skipRange !== ''
}

function edgesTo(entry: GraphEntry, others: readonly GraphEntry[], isIgnored: boolean): readonly DrawnEdge[] {
  const { skips, skipRange, replaces } = entry
  const isInRange = isInRangeOf(entry)
  return [
    ...skips.map((from): DrawnEdge => ({ from, kind: 'skip', range: '', isIgnored })),
    ...(skipRange === '' ? [] : others)
      .filter(({ version }) => isInRange(version))
      .map(({ version }): DrawnEdge => ({ from: version.name, kind: 'skipRange', range: skipRange, isIgnored })),
    ...(replaces === '' ? [] : [{ from: replaces, kind: 'replace' as const, range: '', isIgnored }]),
  ]
}

/** A version of which nothing is known is drawn as 0.0.0. */
function isInRangeOf({ skipRange, range }: GraphEntry): (version: GraphVersion) => boolean {
  const isReadable = skipRange !== '' && rangeProblem(skipRange) === undefined
  const hasZero = isReadable && parseSemverRange(skipRange)({ numbers: [0n, 0n, 0n], prerelease: [] })
  return ({ version, rank }) => (version === undefined ? hasZero : isInSpans(rank, range))
}

/** Counts the steps of a drawing. Pure. */
export function edgeCount({ packages }: Drawing): number {
  return packages
    .flatMap(({ channels }) => channels)
    .flatMap(({ entries }) => entries)
    .reduce((sum, { edges }) => sum + edges.length, 0)
}
