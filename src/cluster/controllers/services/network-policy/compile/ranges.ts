import type { IPBlock } from '#api/networking/v1/network-policy.ts'
import { parseIpv4Block, withoutRanges } from '#apimachinery/ip/ipv4.ts'

/** Numbers from the first to the last: ports, or IPv4 addresses. */
export interface Range {
  readonly first: number
  readonly last: number
}

/**
 * Joins ranges that overlap or follow each other: nftables takes only sets of separate ones. Pure.
 */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = []
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = found.at(-1)
    if (before === undefined || range.first > before.last + 1) found.push(range)
    else found[found.length - 1] = { first: before.first, last: Math.max(before.last, range.last) }
  }
  return found
}

/**
 * Returns the IPv4 addresses of a block without its exceptions. None for IPv6, which the pod
 * network does not have. Pure.
 */
export function addressesOf({ cidr, except = [] }: IPBlock): readonly Range[] {
  const whole = parseIpv4Block(cidr)
  if (whole === undefined) return []
  const holes = except.flatMap((block) => parseIpv4Block(block) ?? [])
  return withoutRanges({ first: whole.first, last: whole.last }, holes)
}

/** Writes ranges as a set of nftables: `{ 80, 8000-8010 }`. */
export function formatRanges(ranges: readonly Range[], format: (number: number) => string = String): string {
  const elements = ranges.map(({ first, last }) => (first === last ? format(first) : `${format(first)}-${format(last)}`))
  return `{ ${elements.join(', ')} }`
}
