import { replacesChain } from '../semantics/replaces-chain.ts'
import type { CheckInput, CheckedChannel } from './check-input.ts'
import { channelPlace, findingOf, type GraphFinding } from './finding.ts'

/**
 * Entries that replace what the channel does not have. The last entry may: what it replaces was in
 * an older catalog. A skipped entry may as well, since OLM never chooses it. Pure.
 */
export function replacesMissingFindings({ channels }: CheckInput): readonly GraphFinding[] {
  return channels.flatMap(missing)
}

function missing({ owner, channel }: CheckedChannel): readonly GraphFinding[] {
  const chain = replacesChain(channel)
  if (!('entries' in chain)) return []
  const last = chain.entries.at(-1)
  return channel.entries
    .filter(
      (entry) => entry !== last && entry.replaces !== '' && !channel.byName.has(entry.replaces) && !channel.skipped.has(entry.version.name),
    )
    .map(({ version: { name }, replaces }) =>
      findingOf(
        'replaces-missing',
        channelPlace(owner.name, channel.name),
        `${name} replaces ${replaces}, which the channel does not have`,
        [name],
      ),
    )
}
