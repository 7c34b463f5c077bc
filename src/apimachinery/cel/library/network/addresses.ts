import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import type { CelOpaque, CelValue } from '#apimachinery/cel/values/values.ts'
import { sizeOf, traversal, traversalFactor } from '../costs.ts'
import {
  bitLength,
  formatIpAddress,
  type IpAddress,
  type IpBlock,
  isWithin,
  leadingBits,
  parseIpAddress,
  parseIpBlock,
} from '#apimachinery/ip/ip-address.ts'

const addressOf = (value: CelValue | undefined): IpAddress => (value as CelOpaque).value as IpAddress
const blockOf = (value: CelValue | undefined): IpBlock => (value as CelOpaque).value as IpBlock

const sameAddress = (a: IpAddress, b: IpAddress): boolean => a.version === b.version && a.bits === b.bits

function addressValue(address: IpAddress): CelValue {
  return {
    kind: 'opaque',
    typeName: 'net.IP',
    value: address,
    equals: (other) => sameAddress(address, other as IpAddress),
    size: bitLength(address) / 8,
  }
}

function blockValue(block: IpBlock): CelValue {
  const equals = (other: unknown): boolean =>
    sameAddress(block.address, (other as IpBlock).address) && block.length === (other as IpBlock).length
  return { kind: 'opaque', typeName: 'net.CIDR', value: block, equals, size: Math.ceil(block.length / 8) }
}

function readAddress(text: string): IpAddress {
  const address = parseIpAddress(text)
  if (address === undefined)
    throw new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): unable to parse IP`,
    )
  return address
}

function readBlock(text: string): IpBlock {
  const block = parseIpBlock(text)
  if (block === undefined) {
    const why = 'network address parse error during conversion from string'
    throw new CelError(`${why}: ${why}: netip.ParsePrefix(${JSON.stringify(text)}): unable to parse`)
  }
  return block
}

/** A test of the leading bits of an address, by version. */
function inside(four: readonly string[], six: readonly string[]): Overload['run'] {
  return ([value]) => {
    const address = addressOf(value)
    return (address.version === 4 ? four : six).some((text) => {
      const block = readBlock(text)
      return isWithin(address, block.address, block.length)
    })
  }
}

const isUnspecified = inside(['0.0.0.0/32'], ['::/128'])
const isMulticast = inside(['224.0.0.0/4'], ['ff00::/8'])
const isLoopback = inside(['127.0.0.0/8'], ['::1/128'])
const isLinkLocal = inside(['169.254.0.0/16'], ['fe80::/10'])
const isBroadcast = inside(['255.255.255.255/32'], [])
const special = [isUnspecified, isMulticast, isLoopback, isLinkLocal, isBroadcast]

const once = { cost: traversal(0) }
/** The prefix is compared byte by byte; a text has to be read first. */
const containsCost = (extra: number, isText: boolean): { cost: Overload['cost'] } => ({
  cost: (args) =>
    Math.ceil(sizeOf(args, 0) * 2 * traversalFactor) +
    (extra === 0 ? 0 : Math.ceil(sizeOf(args, 0) * traversalFactor) + extra) +
    (isText ? Math.ceil(sizeOf(args, 1) * traversalFactor) : 0),
})

const containsAddress = (block: IpBlock, address: IpAddress): boolean => isWithin(address, block.address, block.length)
const containsBlock = (block: IpBlock, other: IpBlock): boolean =>
  block.length <= other.length && isWithin(other.address, block.address, block.length)

function masked({ address, length }: IpBlock): IpBlock {
  const rest = BigInt(bitLength(address) - length)
  return { address: { ...address, bits: leadingBits(address, length) << rest }, length }
}

const ips: readonly Overload[] = [
  overload('string_to_ip', 'ip(string): IP', ([text]) => addressValue(readAddress(text as string)), once),
  overload('is_ip', 'isIP(string): bool', ([text]) => parseIpAddress(text as string) !== undefined, once),
  overload('ip_is_canonical', 'ip.isCanonical(string): bool', ([text]) => formatIpAddress(readAddress(text as string)) === text, {
    cost: traversal(0, 2),
  }),
  overload('ip_family', 'IP.family(): int', ([value]) => BigInt(addressOf(value).version)),
  overload('ip_is_unspecified', 'IP.isUnspecified(): bool', isUnspecified),
  overload('ip_is_loopback', 'IP.isLoopback(): bool', isLoopback),
  overload(
    'ip_is_link_local_multicast',
    'IP.isLinkLocalMulticast(): bool',
    inside(['224.0.0.0/24'], ['ff02::/16', 'ff12::/16', 'ff22::/16', 'ff32::/16']),
  ),
  overload('ip_is_link_local_unicast', 'IP.isLinkLocalUnicast(): bool', isLinkLocal),
  overload('ip_is_global_unicast', 'IP.isGlobalUnicast(): bool', (args, budget) => !special.some((test) => test(args, budget) === true)),
  overload('ip_to_string', 'string(IP): string', ([value]) => formatIpAddress(addressOf(value))),
]

const blocks: readonly Overload[] = [
  overload('string_to_cidr', 'cidr(string): CIDR', ([text]) => blockValue(readBlock(text as string)), once),
  overload('is_cidr', 'isCIDR(string): bool', ([text]) => parseIpBlock(text as string) !== undefined, once),
  overload(
    'cidr_contains_ip_string',
    'CIDR.containsIP(string): bool',
    ([block, text]) => containsAddress(blockOf(block), readAddress(text as string)),
    containsCost(0, true),
  ),
  overload(
    'cidr_contains_ip_ip',
    'CIDR.containsIP(IP): bool',
    ([block, address]) => containsAddress(blockOf(block), addressOf(address)),
    containsCost(0, false),
  ),
  overload(
    'cidr_contains_cidr_string',
    'CIDR.containsCIDR(string): bool',
    ([block, text]) => containsBlock(blockOf(block), readBlock(text as string)),
    containsCost(1, true),
  ),
  overload(
    'cidr_contains_cidr',
    'CIDR.containsCIDR(CIDR): bool',
    ([block, other]) => containsBlock(blockOf(block), blockOf(other)),
    containsCost(1, false),
  ),
  overload('cidr_ip', 'CIDR.ip(): IP', ([block]) => addressValue(blockOf(block).address)),
  overload('cidr_prefix_length', 'CIDR.prefixLength(): int', ([block]) => BigInt(blockOf(block).length)),
  overload('cidr_masked', 'CIDR.masked(): CIDR', ([block]) => blockValue(masked(blockOf(block)))),
  overload('cidr_to_string', 'string(CIDR): string', ([block]) => {
    const { address, length } = blockOf(block)
    return `${formatIpAddress(address)}/${length}`
  }),
]

/** IP addresses and blocks of them. */
export const addresses: readonly Overload[] = [...ips, ...blocks]
