import type { GuestFacts } from '../guests/facts.ts'

/**
 * Chooses guests up to the limits: pending hotplug first, then the oldest image, the fewest
 * failures, the longest uptime; among equals from the node with the fewest outgoing migrations. The
 * result does not depend on the order of its input.
 */
export function chooseGuests(
  candidates: readonly GuestFacts[],
  most: number,
  maxOutboundPerNode: number,
  outgoingByNode: ReadonlyMap<string, number>,
): GuestFacts[] {
  if (most <= 0 || candidates.length === 0) return []
  const load = new Map(outgoingByNode)
  const chosen: GuestFacts[] = []
  for (const alike of ranks(candidates)) {
    const queues = queuesByNode(alike)
    while (chosen.length < most) {
      const next = leastLoaded(queues, load, maxOutboundPerNode)
      const guest = next === undefined ? undefined : queues.get(next)?.pop()
      if (next === undefined || guest === undefined) break
      if (queues.get(next)?.length === 0) queues.delete(next)
      load.set(next, (load.get(next) ?? 0) + 1)
      chosen.push(guest)
    }
  }
  return chosen
}

/** Groups candidates by urgency. */
function ranks(candidates: readonly GuestFacts[]): readonly (readonly GuestFacts[])[] {
  const groups = Object.groupBy(candidates, ({ isPlugging, image }) => (isPlugging ? '' : `image ${image}`))
  return Object.entries(groups)
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([, group = []]) => group)
}

/** The guests of each node, the next one last. */
function queuesByNode(guests: readonly GuestFacts[]): Map<string, GuestFacts[]> {
  const queues = Map.groupBy(guests, ({ node }) => node)
  for (const queue of queues.values()) queue.sort((a, b) => -compare(a, b))
  return queues
}

function compare(a: GuestFacts, b: GuestFacts): number {
  return a.attempts.failures.length - b.attempts.failures.length || a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1)
}

function leastLoaded(
  queues: ReadonlyMap<string, readonly GuestFacts[]>,
  load: ReadonlyMap<string, number>,
  maxOutboundPerNode: number,
): string | undefined {
  let best: { readonly node: string; readonly count: number; readonly first: GuestFacts | undefined } | undefined
  for (const [node, queue] of queues) {
    const count = load.get(node) ?? 0
    if (count >= maxOutboundPerNode) continue
    const first = queue.at(-1)
    if (
      best === undefined ||
      count < best.count ||
      (count === best.count && first !== undefined && best.first !== undefined && compare(first, best.first) < 0)
    ) {
      best = { node, count, first }
    }
  }
  return best?.node
}
