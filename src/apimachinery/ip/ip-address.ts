/** An IP address: its version, and its bits as one number. */
export interface IpAddress {
  readonly version: 4 | 6
  readonly bits: bigint
}

const octet = /^(0|[1-9]\d{0,2})$/

function parseFour(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => octet.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

/** Parses the 16-bit groups of one side of `::`; the last one may be an IPv4 address. */
function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const four = index === parts.length - 1 && part.includes('.') ? parseFour(part) : undefined
    if (four !== undefined) groups.push(four >> 16n, four & 0xffffn)
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}

function parseSix(text: string): bigint | undefined {
  const sides = text.split('::')
  if (sides.length > 2) return undefined
  const [left, right] = sides.map(parseGroups)
  if (left === undefined || (sides.length === 2 && right === undefined)) return undefined
  const missing = 8 - left.length - (right?.length ?? 0)
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...Array.from({ length: missing }, () => 0n), ...(right ?? [])]
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n)
}

/**
 * Parses an address by the rules of Kubernetes: no leading zeros, no zone, no IPv4 inside of IPv6.
 * Undefined when the text is invalid.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const bits = parseFour(text)
    return bits === undefined ? undefined : { version: 4, bits }
  }
  const bits = parseSix(text)
  return bits === undefined || bits >> 32n === 0xffffn ? undefined : { version: 6, bits }
}

function groupsOf(bits: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
}

/** The longest run of at least two zero groups, the first one of several. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: -1, length: 1 }
  let start = 0
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === '0') continue
    if (index - start > best.length) best = { start, length: index - start }
    start = index + 1
  }
  return best
}

/** The canonical text of an address. */
export function formatIpAddress({ version, bits }: IpAddress): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.')
  const groups = groupsOf(bits)
  const { start, length } = longestZeros(groups)
  if (start < 0) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

/** Number of bits of an address. */
export function bitLength({ version }: IpAddress): number {
  return version === 4 ? 32 : 128
}

/** The leading bits of an address, as many as a prefix has. */
export function leadingBits(address: IpAddress, length: number): bigint {
  return address.bits >> BigInt(bitLength(address) - length)
}

/** Reports whether an address is in a CIDR block. */
export function isWithin(address: IpAddress, block: IpAddress, length: number): boolean {
  return address.version === block.version && leadingBits(address, length) === leadingBits(block, length)
}

/** A block of addresses: all whose leading bits, `length` of them, are those of the address. */
export interface IpBlock {
  readonly address: IpAddress
  readonly length: number
}

/** Parses CIDR notation by the rules of Kubernetes. Undefined when the text is invalid. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const slash = text.lastIndexOf('/')
  const address = slash < 0 ? undefined : parseIpAddress(text.slice(0, slash))
  const length = text.slice(slash + 1)
  if (address === undefined || !/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bitLength(address)) return undefined
  return { address, length: Number(length) }
}
