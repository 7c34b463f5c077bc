import type { ChannelGraph, PackageGraph } from '../graph/graph.ts'
import { replacesChain } from './replaces-chain.ts'
import { targetOf, type UpgradeScope } from './scope.ts'

/** Every step that a channel has, the newest versions first. Pure. */
export function scopeOfCatalog(owner: PackageGraph, channel: ChannelGraph): UpgradeScope {
  const chain = replacesChain(channel)
  const heads = 'heads' in chain ? chain.heads : []
  const head = 'entries' in chain ? chain.entries[0] : heads.length === 1 ? heads[0] : undefined
  return {
    package: owner,
    channel: channel.name,
    members: channel.entries.map(({ version }) => version),
    head: head?.version,
    targets: channel.entries
      .toSorted((one, other) => other.version.rank - one.version.rank)
      .map((entry) => targetOf(owner, entry.version, [entry])),
    staysAtPreferred: false,
  }
}
