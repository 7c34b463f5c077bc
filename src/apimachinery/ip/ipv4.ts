import { formatIpAddress, parseIpAddress, parseIpBlock } from './ip-address.ts'

/** Consecutive IPv4 addresses, as numbers of 32 bits, both ends included. */
export interface Ipv4Range {
  readonly first: number
  readonly last: number
}

/** Reads an IPv4 address as a number of 32 bits. Undefined when the text is invalid. */
export function parseIpv4(text: string): number | undefined {
  const address = parseIpAddress(text)
  return address?.version === 4 ? Number(address.bits) : undefined
}

/** Writes the number of an IPv4 address: `10.64.1.2`. */
export function formatIpv4(address: number): string {
  return formatIpAddress({ version: 4, bits: BigInt(address) })
}

/**
 * Returns the addresses of a block such as `10.1.0.0/16`, and the length of its prefix. Undefined
 * when the text is invalid, or one of IPv6.
 */
export function parseIpv4Block(cidr: string): (Ipv4Range & { readonly prefix: number }) | undefined {
  const block = parseIpBlock(cidr)
  if (block?.address.version !== 4) return undefined
  const size = 2 ** (32 - block.length)
  const first = Math.floor(Number(block.address.bits) / size) * size
  return { first, last: first + size - 1, prefix: block.length }
}

/** Returns what is left of a range without the addresses of others. Pure. */
export function withoutRanges(range: Ipv4Range, holes: readonly Ipv4Range[]): readonly Ipv4Range[] {
  let rest: readonly Ipv4Range[] = [range]
  for (const hole of holes)
    rest = rest
      .flatMap(({ first, last }) => [
        { first, last: Math.min(last, hole.first - 1) },
        { first: Math.max(first, hole.last + 1), last },
      ])
      .filter(({ first, last }) => first <= last)
  return rest
}
