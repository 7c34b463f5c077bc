import type { ChannelGraph, PackageGraph } from '../graph/graph.ts'
import { replacesChain } from './replaces-chain.ts'
import { targetOf, type UpgradeScope } from './scope.ts'

/**
 * Steps of a channel as OLM v0 takes them. A subscription has one channel. Its resolver orders the
 * entries along `replaces` from the head, drops those that another one skips, and takes the first
 * one that replaces or skips the installed version or has it in its range. Other entries are never
 * chosen. The installed version comes last in that order, so that it is left even for an older one.
 * Pure.
 */
export function scopeOfV0(owner: PackageGraph, channel: ChannelGraph): UpgradeScope {
  const chain = replacesChain(channel)
  const chosen = 'entries' in chain ? chain.entries.filter(({ version }) => !channel.skipped.has(version.name)) : []
  return {
    package: owner,
    channel: channel.name,
    members: channel.entries.map(({ version }) => version),
    head: chosen[0]?.version,
    targets: chosen.map((entry) => targetOf(owner, entry.version, [entry])),
    staysAtPreferred: false,
  }
}
