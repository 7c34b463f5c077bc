import { isInSpans } from '../graph/graph.ts'
import type { CheckInput } from './check-input.ts'
import { channelPlace, findingOf, type GraphFinding } from './finding.ts'

/** Ranges that contain the version that has them. Pure. */
export function ownRangeFindings({ channels }: CheckInput): readonly GraphFinding[] {
  return channels.flatMap(({ owner, channel }) =>
    channel.entries
      .filter(({ version: { rank }, range }) => isInSpans(rank, range))
      .map(({ version: { name }, skipRange }) =>
        findingOf(
          'skiprange-self',
          channelPlace(owner.name, channel.name),
          `skipRange "${skipRange}" of ${name} contains its own version`,
          [name],
        ),
      ),
  )
}
