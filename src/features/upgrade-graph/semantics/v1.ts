import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import type { PackageGraph } from '../graph/graph.ts'
import { targetOf, type UpgradeScope, type UpgradeTarget } from './scope.ts'

/** What a ClusterExtension says about the versions of its package. */
export interface ExtensionRules {
  /** `spec.source.catalog.channels`; empty: all of them. */
  readonly channels: readonly string[]
  /** `spec.source.catalog.version`. */
  readonly isWanted: (version: SemanticVersion) => boolean
  /** `spec.source.catalog.upgradeConstraintPolicy`. */
  readonly policy: 'CatalogProvided' | 'SelfCertified'
}

/** Rules of a ClusterExtension that names its package only. */
export const anyVersion: ExtensionRules = { channels: [], isWanted: () => true, policy: 'CatalogProvided' }

/**
 * Steps of a package as OLM v1 (operator-controller) takes them. The entries of all channels count,
 * whichever channels the ClusterExtension allows, and skipped entries are chosen as any other. It
 * takes the newest wanted version to which there is a step, one that is not deprecated before all
 * that are, and stays where it is when there is none that it prefers. With SelfCertified it goes
 * from any version to any other. Pure.
 */
export function scopeOfV1(owner: PackageGraph, { channels, isWanted, policy }: ExtensionRules = anyVersion): UpgradeScope {
  const allowed = new Set(channels.length === 0 ? owner.channels.map(({ name }) => name) : channels)
  const isAllowed = (name: string): boolean => owner.channels.some((channel) => allowed.has(channel.name) && channel.byName.has(name))
  const preferred = owner.versions
    .filter(({ name, version }) => version !== undefined && isWanted(version) && isAllowed(name))
    .toSorted((one, other) => Number(one.deprecation !== undefined) - Number(other.deprecation !== undefined) || other.rank - one.rank)
  const targets = preferred.map((to): UpgradeTarget => {
    const entries = owner.channels.flatMap((channel) => channel.byName.get(to.name) ?? [])
    return policy === 'SelfCertified' ? { to, named: [], range: [{ from: 0, until: owner.versions.length }] } : targetOf(owner, to, entries)
  })
  return {
    package: owner,
    channel: undefined,
    members: owner.versions.filter(({ name }) => owner.channels.some((channel) => channel.byName.has(name))),
    head: preferred[0],
    targets,
    staysAtPreferred: true,
  }
}
