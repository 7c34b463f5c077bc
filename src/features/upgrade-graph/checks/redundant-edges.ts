import type { CheckInput } from './check-input.ts'
import { channelPlace, findingOf, type GraphFinding } from './finding.ts'

/** Versions that one entry both replaces and skips. Pure. */
export function redundantEdgeFindings({ channels }: CheckInput): readonly GraphFinding[] {
  return channels.flatMap(({ owner, channel }) =>
    channel.entries
      .filter(({ replaces, skips }) => replaces !== '' && skips.includes(replaces))
      .map(({ version: { name }, replaces }) =>
        findingOf('redundant-edge', channelPlace(owner.name, channel.name), `${name} replaces ${replaces} and skips it`, [name]),
      ),
  )
}
