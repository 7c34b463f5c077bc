import { serverAddress } from '../dhcp-routing.ts'
import { formatPorts, type OpenPorts } from '../open-ports.ts'
import type { NetworkScript } from '../run-for-guest.ts'
import { createTap } from '../tap.ts'
import type { DhcpLease } from './dhcp-server.ts'
import { hasAddress, type PodInterface, type PodLink } from './pod-interface.ts'

/** How a card gets the pod's network. */
export type BindingKind = 'masquerade' | 'bridge'

/** Set-up of one card in the network namespace of its launcher. */
export interface Binding extends NetworkScript {
  /** What the guest is told; names of DNS are added. Absent: the network gives it no address. */
  readonly lease?: Pick<DhcpLease, 'interface' | 'mac' | 'address' | 'prefix' | 'gateway' | 'routes' | 'mtu'>
}

/** A card, and the interface of its pod. */
export interface BindingOptions {
  readonly kind: BindingKind
  readonly pod: PodInterface
  readonly tap: string
  /** `multi_queue` for a tap device of several queues. */
  readonly queueFlag: '' | 'multi_queue'
  readonly mac: string
  /** User that QEMU runs as. */
  readonly user: number
  /** Ports that are passed on to the guest. Undefined: all. `masquerade` only. */
  readonly open: readonly OpenPorts[] | undefined
  /** Ports at which QEMU itself receives migrations. */
  readonly reserved: readonly number[]
}

/** A card on a network of Multus, and the interface of its pod. */
export type SecondaryBindingOptions = Pick<BindingOptions, 'tap' | 'queueFlag' | 'mac' | 'user'> & { readonly pod: PodLink | PodInterface }

/** Addresses in a pod behind NAT, as in KubeVirt. */
const inside = { gateway: '10.0.2.1', guest: '10.0.2.2', prefix: 24, mac: '02:00:00:00:00:00' } as const

/**
 * Plans the set-up of a card. `masquerade`: the guest has an address of its own behind that of the
 * pod, and gets all connections to it but those of migrations. `bridge`: the guest takes the pod's
 * address over. Pure.
 */
export function bindingOf(options: BindingOptions): Binding & Required<Pick<Binding, 'lease'>> {
  return options.kind === 'bridge' ? bridged(options) : masqueraded(options)
}

/** Returns the name of the bridge of a pod's interface, as KubeVirt names it. */
export function bridgeOf({ name }: PodLink): string {
  return `k6t-${name.replace(/^pod/, '')}`
}

/** Creates a bridge with a tap device as port: `create_bridge NAME MAC MTU TAP USER FLAG`. */
const createBridge = `${createTap}
create_bridge() {
  ip link show dev "$1" >/dev/null 2>&1 || ip link add "$1" type bridge forward_delay 0
  ip link set "$1" address "$2" mtu "$3"
  create_tap "$4" "$5" "$6"
  ip link set "$4" mtu "$3" master "$1" up
  ip link set "$1" up
  for rules in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done
}
`

function masqueraded({ pod, tap, queueFlag, mac, user, open, reserved }: BindingOptions): ReturnType<typeof bindingOf> {
  const bridge = bridgeOf(pod)
  const passed = open?.map((range) => `${range.protocol} dport ${formatPorts(range)} `) ?? ['']
  return {
    script: `${createBridge}
bridge=$1 mtu=$2 tap=$3 user=$4 flag=$5
create_bridge "$bridge" ${inside.mac} "$mtu" "$tap" "$user" "$flag"
ip address replace ${inside.gateway}/${inside.prefix} dev "$bridge"
echo 1 >/proc/sys/net/ipv4/ip_forward
exec nft -f -
`,
    args: [bridge, String(pod.mtu), tap, String(user), queueFlag],
    rules: `
table ip guest
delete table ip guest
table ip guest {
  chain prerouting {
    type nat hook prerouting priority dstnat;
    iifname "${pod.name}" tcp dport { ${reserved.join(', ')} } accept
    ${passed.map((match) => `iifname "${pod.name}" ${match}dnat to ${inside.guest}`).join('\n    ')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat;
    oifname "${pod.name}" ip saddr ${inside.guest} masquerade
  }
  # A guest reaches the outside from its own address only, and nothing of its pod but DHCP.
  chain forward {
    type filter hook forward priority filter;
    iifname "${bridge}" ip saddr != ${inside.guest} drop
  }
  chain input {
    type filter hook input priority filter;
    iifname "${bridge}" udp dport 67 accept
    iifname "${bridge}" icmp type echo-request accept
    iifname "${bridge}" ct state established,related accept
    iifname "${bridge}" drop
  }
}
`,
    lease: {
      interface: bridge,
      mac,
      address: inside.guest,
      prefix: inside.prefix,
      gateway: inside.gateway,
      routes: [],
      mtu: pod.mtu,
    },
  }
}

/**
 * Makes the pod's interface a port of a bridge: `LINK BRIDGE MTU TAP USER FLAG`. nft reads standard
 * input.
 */
const bridgeLink = `${createBridge}
link=$1 bridge=$2 mtu=$3 tap=$4 user=$5 flag=$6
create_bridge "$bridge" 0a:58:0a:00:00:02 "$mtu" "$tap" "$user" "$flag"
nft -f -
ip address replace ${serverAddress} dev "$bridge"
ip link set "$link" master "$bridge" up
ip address flush dev "$link"
`

function bridged({ pod, tap, queueFlag, mac, user }: BindingOptions): ReturnType<typeof bindingOf> {
  return {
    script: bridgeLink,
    args: [pod.name, bridgeOf(pod), String(pod.mtu), tap, String(user), queueFlag],
    // The pod's own DHCP server is the only one, and answers no others. Nodes may send what they
    // receive back (hairpin mode): the bridge would take the guest to be behind its uplink.
    rules: `
table bridge guest
delete table bridge guest
table bridge guest {
  chain prerouting {
    type filter hook prerouting priority filter;
    iifname "${pod.name}" ether saddr ${mac} drop
    iifname "${pod.name}" udp sport 67 drop
    iifname "${pod.name}" udp dport 67 drop
    iifname != "${tap}" accept
    ether saddr != ${mac} drop
    ether type arp arp saddr ip { 0.0.0.0, ${pod.address} } accept
    ip saddr 0.0.0.0 udp sport 68 udp dport 67 accept
    udp sport 67 drop
    ip saddr ${pod.address} accept
    ether type 0x8035 accept
    drop
  }
  chain forward {
    type filter hook forward priority filter;
    iifname "${tap}" udp dport 67 drop
  }
}
`,
    lease: leaseOf(pod, mac),
  }
}

/** The guest takes the address of the pod's interface over. */
function leaseOf(pod: PodInterface, mac: string): NonNullable<Binding['lease']> {
  const { address, prefix, gateway, routes, mtu } = pod
  return { interface: bridgeOf(pod), mac, address, prefix, ...(gateway === undefined ? {} : { gateway }), routes, mtu }
}

/**
 * Plans the set-up of a card on a network of Multus: the guest takes the place of the pod's
 * interface, with its address, if it has one. What the guest may send there is the network
 * plugin's matter. Pure.
 */
export function secondaryBindingOf({ pod, tap, queueFlag, mac, user }: SecondaryBindingOptions): Binding {
  const lease = hasAddress(pod) ? leaseOf(pod, mac) : undefined
  const table = tableOf(pod)
  const noOtherServer = lease === undefined ? [] : [`iifname "${pod.name}" udp sport 67 drop`, `iifname "${pod.name}" udp dport 67 drop`]
  return {
    // The interface may have the MAC address of the guest, which must not be one of the pod.
    script: `ip link set "$1" address "$7"\n${bridgeLink}`,
    args: [pod.name, bridgeOf(pod), String(pod.mtu), tap, String(user), queueFlag, linkMac(mac)],
    rules: `
table bridge ${table}
delete table bridge ${table}
table bridge ${table} {
  chain prerouting {
    type filter hook prerouting priority filter;
    iifname "${pod.name}" ether saddr ${mac} drop
    ${noOtherServer.join('\n    ')}
  }
  chain forward {
    type filter hook forward priority filter;
    ${lease === undefined ? '' : `iifname "${tap}" udp dport 67 drop`}
  }
}
`,
    ...(lease === undefined ? {} : { lease }),
  }
}

/** Plans the removal of what {@link secondaryBindingOf} made. The pod's interface stays. Pure. */
export function unbindingOf(pod: PodLink, tap: string): NetworkScript {
  return {
    script: 'for link in "$@"; do ip link delete dev "$link" 2>/dev/null || :; done; exec nft -f -',
    args: [tap, bridgeOf(pod)],
    rules: `table bridge ${tableOf(pod)}\ndelete table bridge ${tableOf(pod)}\n`,
  }
}

function tableOf({ name }: PodLink): string {
  return `guest-${name}`
}

/** Returns a MAC address for the pod's end of a bridge, which sends nothing by itself. */
function linkMac(guestMac: string): string {
  return `${guestMac.startsWith('0e') ? '0a' : '0e'}${guestMac.slice(2)}`
}
