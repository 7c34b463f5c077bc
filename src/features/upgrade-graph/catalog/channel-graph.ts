import type { ChannelEntry } from './catalog.ts'

/** What is wrong with the entries of a channel. */
export type ChannelDefect = 'no-head' | 'multi-head' | 'cycle' | 'stranded'

/** Verdict about the upgrade graph of a channel. */
export type ChannelVerdict = { readonly head: string } | { readonly defect: ChannelDefect; readonly problem: string }

/**
 * Finds the head of a channel: the only entry that no other one replaces or skips. From there,
 * `replaces` must lead to every entry that is not skipped, and not in a circle. The last entry may
 * replace one that the channel does not have. These are the rules of OLM. Pure.
 */
export function judgeChannel(entries: readonly ChannelEntry[]): ChannelVerdict {
  const skipped = new Set(entries.flatMap(({ skips = [] }) => skips))
  const replaced = new Set(entries.flatMap(({ replaces = '' }) => (replaces === '' ? [] : [replaces])))
  const heads = entries.filter(({ name }) => !skipped.has(name) && !replaced.has(name))
  const [head] = heads
  if (head === undefined) return { defect: 'no-head', problem: 'it has no head: each entry is replaced or skipped by another one' }
  if (heads.length > 1)
    return {
      defect: 'multi-head',
      problem: `it has several heads, of which none replaces or skips another: ${namesOf(heads).toSorted().join(', ')}`,
    }
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  const chain = new Set<string>()
  for (let entry: ChannelEntry | undefined = head; entry !== undefined;) {
    if (chain.has(entry.name))
      return { defect: 'cycle', problem: `its entries replace one another in a circle: ${[...chain, entry.name].join(' → ')}` }
    chain.add(entry.name)
    const { replaces = '' }: ChannelEntry = entry
    entry = skipped.has(replaces) ? undefined : byName.get(replaces)
  }
  const stranded = namesOf(entries).filter((name) => !chain.has(name) && !skipped.has(name))
  if (stranded.length > 0)
    return { defect: 'stranded', problem: `"replaces" does not lead from the head to ${stranded.toSorted().join(', ')}` }
  return { head: head.name }
}

function namesOf(entries: readonly ChannelEntry[]): readonly string[] {
  return entries.map(({ name }) => name)
}
