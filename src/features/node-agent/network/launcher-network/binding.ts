import { formatPorts, type OpenPorts } from '../open-ports.ts'
import type { NetworkScript } from '../run-for-guest.ts'
import type { DhcpLease } from './dhcp-server.ts'
import type { PodInterface } from './pod-interface.ts'

/** How a card gets the pod's network. */
export type BindingKind = 'masquerade' | 'bridge'

/** Set-up of one card in the network namespace of its launcher. */
export interface Binding extends NetworkScript {
  /** What the guest is told; names of DNS are added. */
  readonly lease: Pick<DhcpLease, 'interface' | 'mac' | 'address' | 'prefix' | 'gateway' | 'routes' | 'mtu'>
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

/** Addresses in a pod behind NAT, as in KubeVirt. */
const inside = { gateway: '10.0.2.1', guest: '10.0.2.2', prefix: 24, mac: '02:00:00:00:00:00' } as const
/** Address of the DHCP server of a bridged guest, which never leaves the pod. As in KubeVirt. */
const serverAddress = '169.254.75.10'

/**
 * Plans the set-up of a card. `masquerade`: the guest has an address of its own behind that of the
 * pod, and gets all connections to it but those of migrations. `bridge`: the guest takes the pod's
 * address over. Pure.
 */
export function bindingOf(options: BindingOptions): Binding {
  return options.kind === 'bridge' ? bridged(options) : masqueraded(options)
}

/** Creates a bridge with a tap device as port: `create_bridge NAME MAC MTU TAP USER FLAG`. */
const createBridge = `
create_bridge() {
  ip link show dev "$1" >/dev/null 2>&1 || ip link add "$1" type bridge forward_delay 0
  ip link set "$1" address "$2" mtu "$3"
  ip link show dev "$4" >/dev/null 2>&1 || ip tuntap add dev "$4" mode tap user "$5" $6
  ip link set "$4" mtu "$3" master "$1" up
  ip link set "$1" up
  for rules in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e "$rules" ] || echo 0 >"$rules"; done
}
`

function masqueraded({ pod, tap, queueFlag, mac, user, open, reserved }: BindingOptions): Binding {
  const bridge = `k6t-${pod.name}`
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

function bridged({ pod, tap, queueFlag, mac, user }: BindingOptions): Binding {
  const bridge = `k6t-${pod.name}`
  const { gateway } = pod
  return {
    script: `${createBridge}
link=$1 mtu=$2 tap=$3 user=$4 flag=$5
create_bridge "k6t-$link" 0a:58:0a:00:00:02 "$mtu" "$tap" "$user" "$flag"
nft -f -
ip address replace ${serverAddress}/30 dev "k6t-$link"
ip link set "$link" master "k6t-$link"
ip address flush dev "$link"
`,
    args: [pod.name, String(pod.mtu), tap, String(user), queueFlag],
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
    lease: {
      interface: bridge,
      mac,
      address: pod.address,
      prefix: pod.prefix,
      ...(gateway === undefined ? {} : { gateway }),
      routes: pod.routes,
      mtu: pod.mtu,
    },
  }
}
