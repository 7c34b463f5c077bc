import { formatIpv4, parseIpv4Block } from '#apimachinery/ip/ipv4.ts'

/**
 * Address of a bridge whose DHCP server is not the network's router. It never leaves the bridge. As
 * in KubeVirt.
 */
export const serverAddress = '169.254.75.10/30'

/** What a guest is told of its network by DHCP. */
export interface RoutingFacts {
  readonly address: string
  /** Length of the address's prefix. */
  readonly prefix: number
  /** Router to everywhere. */
  readonly gateway?: string
  /** Classless static routes. */
  readonly routes: readonly { readonly to: string; readonly via?: string }[]
  readonly mtu?: number
}

/**
 * Returns the DHCP options of routes and MTU, as dnsmasq takes them: `option:mtu,1500`. One without
 * a value keeps dnsmasq from sending its default. Pure.
 */
export function routingOptions({ address, prefix, gateway, routes, mtu }: RoutingFacts): string[] {
  const routers = gateway === undefined ? [] : [{ to: '0.0.0.0/0', via: gateway }]
  // A client that takes option 121 ignores the router's one (RFC 3442).
  const classless = [...routes, ...routers].flatMap(({ to, via = '0.0.0.0' }) => [to, via])
  const network = parseIpv4Block(`${address}/${prefix}`)
  const isBeyond = gateway !== undefined && parseIpv4Block(`${gateway}/${prefix}`)?.first !== network?.first
  const reach = isBeyond ? [`${gateway}/32`, '0.0.0.0'] : []
  return [
    option('router', gateway === undefined ? [] : [gateway]),
    ...(mtu === undefined ? [] : [option('mtu', [mtu])]),
    ...(routes.length + reach.length === 0 ? [] : [option('classless-static-route', [...reach, ...classless])]),
  ]
}

/** Writes an option; one without values is not sent. */
export function option(name: string, values: readonly (string | number)[]): string {
  return [`option:${name}`, ...values].join(',')
}

/** Returns the mask of a prefix: `255.255.255.0`. */
export function maskOf(prefix: number): string {
  return formatIpv4(2 ** 32 - 2 ** (32 - prefix))
}
