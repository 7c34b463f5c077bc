import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'

/** Upgrade graph of a catalog. */
export interface UpgradeGraph {
  /** Sorted by name. */
  readonly packages: readonly PackageGraph[]
}

/** Versions of a package, and the channels that they are in. */
export interface PackageGraph {
  readonly name: string
  readonly defaultChannel: string
  /** Message for those who use the package; undefined when it is not deprecated. */
  readonly deprecation: string | undefined
  /**
   * All versions that bundles or entries name, from the least to the greatest: by {@link
   * GraphVersion.rank}.
   */
  readonly versions: readonly GraphVersion[]
  readonly byName: ReadonlyMap<string, GraphVersion>
  /** Sorted by name. */
  readonly channels: readonly ChannelGraph[]
}

/** A version of a package. */
export interface GraphVersion {
  /** Name of its bundle. */
  readonly name: string
  /** Position in the order of the package's versions. Those without a known version come first. */
  readonly rank: number
  /**
   * Position in the order in which versions are drawn: bundles of one version and several releases
   * share it, and what is unknown counts as 0.0.0.
   */
  readonly level: number
  /** Undefined when there is no bundle, or its version cannot be read. */
  readonly version: SemanticVersion | undefined
  /** As the bundle has it, with its release. */
  readonly text: string
  /** Message for those who use it; undefined when it is not deprecated. */
  readonly deprecation: string | undefined
}

/** A channel, and the entries in it. */
export interface ChannelGraph {
  readonly packageName: string
  readonly name: string
  readonly deprecation: string | undefined
  /** In the order of the catalog. */
  readonly entries: readonly GraphEntry[]
  readonly byName: ReadonlyMap<string, GraphEntry>
  /** Names that entries skip. */
  readonly skipped: ReadonlySet<string>
}

/** A version in a channel, and those from which it is an upgrade. */
export interface GraphEntry {
  readonly version: GraphVersion
  /** Name of the version that it replaces; empty when there is none. */
  readonly replaces: string
  readonly skips: readonly string[]
  readonly skipRange: string
  /** Versions in the range; empty when there is no range, or one that cannot be read. */
  readonly range: readonly RankSpan[]
}

/** Versions of successive ranks. */
export interface RankSpan {
  readonly from: number
  /** The first rank that does not belong to it. */
  readonly until: number
}

/** Sorts spans, and joins those that touch. Pure. */
export function joinSpans(spans: readonly RankSpan[]): readonly RankSpan[] {
  const joined: RankSpan[] = []
  for (const span of spans.filter(({ from, until }) => from < until).toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && span.from <= last.until)
      joined[joined.length - 1] = { from: last.from, until: Math.max(last.until, span.until) }
    else joined.push(span)
  }
  return joined
}

/** Reports whether a rank is in one of the spans. Pure. */
export function isInSpans(rank: number, spans: readonly RankSpan[]): boolean {
  return spans.some(({ from, until }) => from <= rank && rank < until)
}
