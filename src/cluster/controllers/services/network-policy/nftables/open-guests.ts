import { addressMark } from '#runtime/network/network-namespace.ts'
import type { GuestFilter } from '../guest-filter.ts'

/**
 * Returns the guests that no policy selects. They may also send what the router cannot judge:
 * broadcasts. Pure.
 */
export function openGuests({ guests, isolated }: GuestFilter): readonly string[] {
  return [...guests].filter((address) => !isolated.egress.has(address) && !isolated.ingress.has(address)).toSorted()
}

/**
 * Returns commands for nft that replace the set of open guests, whose elements are addresses as
 * numbers. Empty when they are the same. Pure.
 */
export function openTransaction(applied: readonly string[] | undefined, wanted: readonly string[]): string {
  if (applied?.join() === wanted.join()) return ''
  const elements = wanted.map(addressMark)
  // The pod network of an older release does not have the set.
  const commands = ['add set bridge pods open { type mark; }', 'flush set bridge pods open']
  const added = elements.length === 0 ? [] : [`add element bridge pods open { ${elements.join(', ')} }`]
  return [...commands, ...added, ''].join('\n')
}
