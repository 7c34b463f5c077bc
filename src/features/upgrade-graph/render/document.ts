import { longestPath } from '../checks/longest-path.ts'
import type { CheckedGraph } from '../check-graph.ts'
import type { GraphVersion } from '../graph/graph.ts'
import { hopsToHead } from '../paths/route.ts'
import { nextSteps, stepCounts } from '../paths/ways.ts'
import { laneCount } from '../paths/lanes.ts'
import type { UpgradeScope } from '../semantics/scope.ts'

/** Figures of a channel, or of a package where OLM does not look at channels. */
export interface ScopeReport {
  readonly package: string
  readonly channel?: string
  readonly isDefault: boolean
  readonly deprecation?: string
  /** Absent when there is not exactly one. */
  readonly head?: string
  /** Entries from which nothing leads back to an older one. */
  readonly tails: readonly string[]
  readonly versionCount: number
  /** Steps of the catalog by their kind; a range counts once. */
  readonly edges: { readonly replaces: number; readonly skips: number; readonly skipRange: number }
  /** Upgrades that OLM may choose: what is to be tested. */
  readonly laneCount: number
  /** The greatest number of steps from a version to the head. */
  readonly longestPath: number
  readonly longestPathFrom?: string
  /** From the least version on. */
  readonly versions: readonly VersionReport[]
}

/** What OLM does with a version. */
export interface VersionReport {
  readonly name: string
  readonly version: string
  /** Steps to the head; absent when there is no way. */
  readonly hops?: number
  /** Upgrades that OLM may choose from. */
  readonly steps: number
  /** The one that it chooses; absent when there is none. */
  readonly next?: string
  readonly isSkipped: boolean
  readonly deprecation?: string
}

/** Describes each channel, or each package for OLM v1. Pure. */
export function scopeReports({ scopes }: CheckedGraph): readonly ScopeReport[] {
  return scopes.map(reportOf)
}

function reportOf(scope: UpgradeScope): ScopeReport {
  const { package: owner, channel, head, members } = scope
  const own = owner.channels.filter(({ name }) => channel === undefined || name === channel)
  const entries = own.flatMap((one) => one.entries)
  const deprecation = channel === undefined ? owner.deprecation : own[0]?.deprecation
  const { from, hops: longest } = longestPath(scope)
  const [hops, next, counts] = [hopsToHead(scope), nextSteps(scope), stepCounts(scope)]
  const hasStep = new Set(scope.targets.filter((target) => target.named.length > 0 || target.range.length > 0).map(({ to }) => to))
  const isSkipped = ({ name }: GraphVersion): boolean =>
    own.length > 0 && own.every((one) => !one.byName.has(name) || one.skipped.has(name))
  return {
    package: owner.name,
    ...(channel === undefined ? {} : { channel }),
    isDefault: channel !== undefined && owner.defaultChannel === channel,
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(head === undefined ? {} : { head: head.name }),
    tails: members.filter((version) => !hasStep.has(version) && !isSkipped(version)).map(({ name }) => name),
    versionCount: members.length,
    edges: {
      replaces: entries.filter(({ replaces }) => replaces !== '').length,
      skips: entries.reduce((sum, { skips }) => sum + skips.length, 0),
      skipRange: entries.filter(({ skipRange }) => skipRange !== '').length,
    },
    laneCount: laneCount([scope]),
    longestPath: longest,
    ...(longest === 0 ? {} : { longestPathFrom: from }),
    versions: members
      .toSorted((one, other) => one.rank - other.rank)
      .map((version): VersionReport => {
        const { name, rank, text } = version
        const [hop, step] = [hops[rank], next[rank]]
        return {
          name,
          version: text,
          ...(hop === undefined ? {} : { hops: hop }),
          steps: counts[rank] ?? 0,
          ...(step === undefined ? {} : { next: step.name }),
          isSkipped: isSkipped(version),
          ...(version.deprecation === undefined ? {} : { deprecation: version.deprecation }),
        }
      }),
  }
}
