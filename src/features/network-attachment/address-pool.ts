import { createHash } from 'node:crypto'
import { formatIpv4, parseIpv4, parseIpv4Block, withoutRanges, type Ipv4Range } from '#apimachinery/ip/ipv4.ts'
import { fieldsOf, UnsupportedNetwork } from './unsupported-network.ts'

/** A route that guests get by DHCP. */
export interface Route {
  /** CIDR. */
  readonly to: string
  /** Address of the router; absent: reached directly. */
  readonly via?: string
}

/** Addresses that a network gives to guests. */
export interface AddressPool {
  /** Address of the subnet. */
  readonly subnet: string
  /** Length of the subnet's prefix. */
  readonly prefix: number
  /** Ranges of addresses for guests. */
  readonly ranges: readonly Ipv4Range[]
  /** Address of the router in the subnet. */
  readonly gateway?: string
  /** Addresses that guests do not get, in dotted notation. */
  readonly reserved: readonly string[]
  readonly routes: readonly Route[]
}

/**
 * Reads the address management of a CNI configuration; undefined when guests get no address. As
 * `host-local` and `whereabouts` have it. @throws UnsupportedNetwork
 */
export function addressPoolOf(ipam: unknown): AddressPool | undefined {
  if (ipam === undefined || ipam === null) return undefined
  const fields = fieldsOf(ipam, 'ipam')
  const { type } = fields
  if (type === undefined || type === '') return undefined
  if (type === 'host-local') return hostLocal(fields)
  if (type === 'whereabouts') return whereabouts(fields)
  throw new UnsupportedNetwork(`ipam of type ${JSON.stringify(type)} is not supported: use host-local or whereabouts, or none`)
}

type Fields = Readonly<Record<string, unknown>>

function hostLocal(fields: Fields): AddressPool {
  const { type: _type, ranges, routes, dataDir: _dataDir, resolvConf: _resolvConf, ...own } = fields
  const sets = ranges === undefined ? [[own]] : listOf(ranges, 'ipam.ranges').map((set) => listOf(set, 'ipam.ranges[]'))
  if (ranges !== undefined && Object.keys(own).length > 0) refuseUnknown(own, 'ipam')
  const [first, ...others] = sets
  // The second set is that of another address, such as an IPv6 one.
  if (first === undefined || others.length > 0) throw new UnsupportedNetwork('ipam.ranges must have one set: guests get one IPv4 address')
  return poolOf(
    first.map((range) => fieldsOf(range, 'ipam.ranges[][]')),
    routes,
  )
}

function whereabouts(fields: Fields): AddressPool {
  const { type: _type, range, range_start, range_end, gateway, exclude, routes, ...others } = fields
  refuseUnknown(others, 'ipam')
  const pool = poolOf([{ subnet: range, rangeStart: range_start, rangeEnd: range_end, gateway }], routes)
  const excluded = exclude === undefined ? [] : listOf(exclude, 'ipam.exclude').map((text) => networkOf(text, 'ipam.exclude[]'))
  return { ...pool, ranges: pool.ranges.flatMap((range) => withoutRanges(range, excluded)) }
}

/** Builds the pool of one set of ranges, which share a subnet. */
function poolOf(set: readonly Fields[], routes: unknown): AddressPool {
  const ranges = set.map(({ subnet, rangeStart, rangeEnd, gateway, ...others }) => {
    refuseUnknown(others, 'ipam')
    const network = networkOf(subnet, 'ipam.subnet')
    const within = (text: unknown, field: string): number | undefined => {
      if (text === undefined) return undefined
      const address = typeof text === 'string' ? parseIpv4(text) : undefined
      if (address !== undefined && address >= network.first && address <= network.last) return address
      throw new UnsupportedNetwork(`${field} must be an IPv4 address in ${String(subnet)}, and is ${JSON.stringify(text)}`)
    }
    const first = within(rangeStart, 'the start of the range') ?? network.first + 1
    const last = within(rangeEnd, 'the end of the range') ?? network.last - 1
    if (first > last) throw new UnsupportedNetwork(`the range of ${String(subnet)} has no addresses`)
    return { network, first, last, gateway: within(gateway, 'the gateway') }
  })
  const [{ network, gateway } = { network: undefined, gateway: undefined }] = ranges
  if (network === undefined) throw new UnsupportedNetwork('ipam.ranges must have a range')
  if (ranges.some((range) => range.network.first !== network.first || range.network.prefix !== network.prefix))
    throw new UnsupportedNetwork('the ranges of ipam must be in one subnet: guests get one address')
  const router = gateway === undefined ? {} : { gateway: formatIpv4(gateway) }
  return {
    subnet: formatIpv4(network.first),
    prefix: network.prefix,
    ranges: ranges.map(({ first, last }) => ({ first, last })),
    ...router,
    reserved: gateway === undefined ? [] : [formatIpv4(gateway)],
    routes: routesOf(routes),
  }
}

function routesOf(routes: unknown): Route[] {
  if (routes === undefined || routes === null) return []
  return listOf(routes, 'ipam.routes').map((route) => {
    const { dst, gw, ...others } = fieldsOf(route, 'ipam.routes[]')
    refuseUnknown(others, 'ipam.routes[]')
    const { first, prefix } = networkOf(dst, 'ipam.routes[].dst')
    if (gw !== undefined && (typeof gw !== 'string' || parseIpv4(gw) === undefined))
      throw new UnsupportedNetwork('ipam.routes[].gw must be an IPv4 address')
    return { to: `${formatIpv4(first)}/${prefix}`, ...(typeof gw === 'string' ? { via: gw } : {}) }
  })
}

function networkOf(text: unknown, field: string): NonNullable<ReturnType<typeof parseIpv4Block>> {
  const network = parseIpv4Block(String(text))
  if (network === undefined)
    throw new UnsupportedNetwork(`${field} must be an IPv4 network such as 10.1.0.0/24, and is ${JSON.stringify(text)}`)
  return network
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UnsupportedNetwork(`${field} must be a list`)
}

function refuseUnknown(fields: Fields, where: string): void {
  const [unknown] = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (unknown !== undefined) throw new UnsupportedNetwork(`"${unknown[0]}" of ${where} is not supported`)
}

/**
 * Lists the addresses of a pool, first the one that the key hashes to: a guest gets the same one
 * again, and few ask for one that is taken.
 */
export function* addressesIn({ ranges, reserved }: AddressPool, key: string): Generator<string> {
  const count = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const start = createHash('sha256').update(key).digest().readUIntBE(0, 6) % count
  for (let step = 0; step < count; step++) {
    let offset = (start + step) % count
    for (const { first, last } of ranges) {
      const size = last - first + 1
      if (offset < size) {
        const address = formatIpv4(first + offset)
        if (!reserved.includes(address)) yield address
        break
      }
      offset -= size
    }
  }
}
