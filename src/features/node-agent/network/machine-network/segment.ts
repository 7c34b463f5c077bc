import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addressesIn, type AddressPool, type BridgeNetwork } from '#features/network-attachment/index.ts'
import { claimFile } from '#runtime/process/claim-file.ts'
import { replaceWatchedFile } from '#runtime/network/network-namespace.ts'
import { readIfThere } from '#runtime/process/replace-file.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import { maskOf, routingOptions, serverAddress } from '../dhcp-routing.ts'
import { createTap } from '../tap.ts'
import { restartServer, rescanNetworks } from './dhcp-servers.ts'

/** Returns the name of the bridge of a segment. At most 15 characters. */
export function bridgeName(segment: string): string {
  return `net${createHash('sha256').update(segment).digest('hex').slice(0, 12)}`
}

/**
 * Shell script that creates the bridge of a segment: `NAME MTU ADDRESS SUBNET TAP USER FLAG
 * ISOLATED`, and the tap device of a card; nft reads standard input. Two networks with the same
 * subnet may not both have a router: its answers would go to one of them.
 */
export const plugScript: string = `${createTap}
bridge=$1 mtu=$2 address=$3 subnet=$4 tap=$5 user=$6 flag=$7 isolated=$8
if [ -n "$subnet" ] && ip -o -4 route show exact "$subnet" | grep -v " dev $bridge "; then
  echo "another network of this machine has a router in $subnet" >&2
  exit 1
fi
ip link show dev "$bridge" >/dev/null 2>&1 || ip link add "$bridge" type bridge forward_delay 0 2>/dev/null || ip link show dev "$bridge" >/dev/null
# Otherwise it is that of a port, and changes when guests come and go.
ip link set "$bridge" address 0a:58:0a:00:00:03 up
[ -z "$address" ] || ip address replace "$address" dev "$bridge"
create_tap "$tap" "$user" "$flag"
[ -z "$mtu" ] || ip link set "$tap" mtu "$mtu"
ip link set dev "$tap" master "$bridge" up
bridge link set dev "$tap" isolated "$isolated"
exec nft -f -
`

/** Arguments of {@link plugScript} that say what the bridge is like. */
export function bridgeArguments(network: BridgeNetwork): string[] {
  const { segment, mtu, pool, isGateway } = network
  const isRouter = isGateway && pool?.gateway !== undefined
  const address = isRouter ? `${pool.gateway}/${pool.prefix}` : pool === undefined ? '' : serverAddress
  return [bridgeName(segment), mtu === undefined ? '' : String(mtu), address, isRouter ? `${pool.subnet}/${pool.prefix}` : '']
}

/** Rules of a bridge: guests reach the outside, or do not. */
export function bridgeRules({ segment, masquerades }: BridgeNetwork): string {
  const element = `element ip pods masqueraded { "${bridgeName(segment)}" }\n`
  return masquerades ? `add ${element}` : `add ${element}delete ${element}`
}

/** Folders of the networks of a machine. */
export interface NetworkFolders {
  /** Folder of the pod network's process, which serves DHCP. */
  readonly directory: string
  /** Folder with a file for each address that was ever given to a guest. */
  readonly addresses: string
}

/**
 * Returns the address of a card, the same for ever. @throws UnsupportedGuest when all are taken
 */
export function allocateAddress({ addresses }: NetworkFolders, { segment, pool }: BridgeNetwork, key: string): string | undefined {
  if (pool === undefined) return undefined
  const folder = join(addresses, bridgeName(segment))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const address of addressesIn(pool, key)) if (claimFile(join(folder, address), key)) return address
  throw new UnsupportedGuest(`no address of ${pool.subnet}/${pool.prefix} is left: remove files of guests that are gone from "${folder}"`)
}

/** A card that gets its address by DHCP. */
export interface LeasedCard {
  readonly mac: string
  readonly address: string
  readonly hostname: string
  /** Options of the card, as dnsmasq takes them. */
  readonly options: readonly string[]
}

/** Has DHCP answer a card. Idempotent. */
export async function lease({ directory }: NetworkFolders, network: BridgeNetwork, pool: AddressPool, card: LeasedCard): Promise<void> {
  const bridge = bridgeName(network.segment)
  const folder = join(directory, 'networks', bridge)
  await Promise.all(['ranges', 'dhcp', 'options'].map((name) => mkdir(join(folder, name), { recursive: true, mode: 0o755 })))
  const range = await replaceIfChanged(join(folder, 'ranges', `${pool.subnet}-${pool.prefix}.conf`), rangeOf(bridge, pool))
  const tag = `card-${card.address}`
  const options = [...optionsOf(network, pool, card.address), ...card.options].map((option) => `tag:${tag},${option}\n`).join('')
  await replaceIfChanged(join(folder, 'options', tag), options)
  const host = await replaceIfChanged(
    join(folder, 'dhcp', card.address),
    `${card.mac},set:${tag},${card.address},${card.hostname},infinite\n`,
  )
  // A server that runs takes new hosts by itself. For a changed one, its lease to the former MAC
  // address must end, too.
  if (range !== 'same' || host === 'changed') await restartServer(join(folder, 'dns.pid'))
  await rescanNetworks(directory)
}

function rangeOf(bridge: string, { subnet, prefix }: AddressPool): string {
  return `dhcp-range=${subnet},static,${maskOf(prefix)},infinite\nshared-network=${bridge},${subnet}\n`
}

/** A secondary network has no router to everywhere, unless a route says so. */
function optionsOf({ mtu }: BridgeNetwork, pool: AddressPool, address: string): string[] {
  const routes = pool.routes.map(({ to, via = pool.gateway }) => ({ to, ...(via === undefined ? {} : { via }) }))
  const gateway = routes.find(({ to }) => to === '0.0.0.0/0')?.via
  return routingOptions({
    address,
    prefix: pool.prefix,
    ...(gateway === undefined ? {} : { gateway }),
    routes: routes.filter(({ to }) => to !== '0.0.0.0/0'),
    ...(mtu === undefined ? {} : { mtu }),
  })
}

async function replaceIfChanged(path: string, content: string): Promise<'same' | 'new' | 'changed'> {
  const before = await readIfThere(path)
  if (before === content) return 'same'
  await replaceWatchedFile(path, content)
  return before === undefined ? 'new' : 'changed'
}
