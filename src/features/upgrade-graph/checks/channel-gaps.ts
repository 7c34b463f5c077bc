import { isStep } from '../semantics/scope.ts'
import type { CheckInput } from './check-input.ts'
import { channelPlace, findingOf, listed, type GraphFinding } from './finding.ts'

/**
 * Channels whose head is neither in a newer channel nor has a step into one: a subscription that
 * changes to the newer channel finds no upgrade. A newer channel is one with a greater head. OLM v1
 * looks at all channels together. Pure.
 */
export function channelGapFindings({ channels, semantics }: CheckInput): readonly GraphFinding[] {
  if (semantics === 'v1') return []
  return [...Map.groupBy(channels, ({ owner }) => owner)].flatMap(([owner, siblings]) =>
    siblings.flatMap(({ channel, v0: { head } }): readonly GraphFinding[] => {
      if (head?.version === undefined) return []
      const newer = siblings.filter(({ v0 }) => v0.head?.version !== undefined && v0.head.rank > head.rank)
      const isConnected = newer.some(
        (other) => other.channel.byName.has(head.name) || other.v0.targets.some((target) => isStep(head, target)),
      )
      const names = newer.map((other) => other.channel.name)
      return newer.length === 0 || isConnected
        ? []
        : [
            findingOf(
              'cross-channel-gap',
              channelPlace(owner.name, channel.name),
              `its last version ${head.name} has no way into ${listed(names)}`,
              [head.name],
            ),
          ]
    }),
  )
}
