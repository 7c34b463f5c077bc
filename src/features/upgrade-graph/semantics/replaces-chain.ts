import type { ChannelGraph, GraphEntry } from '../graph/graph.ts'

/** Entries of a channel in the order in which OLM v0 prefers them, or why it has none. */
export type ReplacesChain =
  | { readonly entries: readonly GraphEntry[] }
  | { readonly heads: readonly GraphEntry[] }
  | { readonly circle: readonly GraphEntry[] }

/**
 * Follows `replaces` from the head of a channel, as OLM v0 does before it chooses: also through
 * skipped entries, and as far as there are entries. Where there is not exactly one head, or the
 * entries replace one another in a circle, OLM v0 chooses nothing from the channel. Pure.
 */
export function replacesChain({ entries, byName, skipped }: ChannelGraph): ReplacesChain {
  const replaced = new Set(entries.map(({ replaces }) => replaces))
  const heads = entries.filter(({ version: { name } }) => !replaced.has(name) && !skipped.has(name))
  const [head] = heads
  if (head === undefined || heads.length > 1) return { heads }
  const chain = new Set<GraphEntry>()
  for (let entry: GraphEntry | undefined = head; entry !== undefined; entry = byName.get(entry.replaces)) {
    if (chain.has(entry)) return { circle: [...chain].slice([...chain].indexOf(entry)) }
    chain.add(entry)
  }
  return { entries: [...chain] }
}
