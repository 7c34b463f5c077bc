import { runInNetworkNamespace } from '#runtime/network/network-namespace.ts'

/** An interface of a pod, as a network plugin has made it. */
export interface PodLink {
  /** Name, such as `eth0`. */
  readonly name: string
  readonly mtu: number
}

/** An interface with an address. */
export interface PodInterface extends PodLink {
  readonly address: string
  /** Length of the address's prefix. */
  readonly prefix: number
  /** Address of the router, where the network has one. */
  readonly gateway?: string
  /** Routes other than the default one, which lead through the interface. */
  readonly routes: readonly { readonly to: string; readonly via?: string }[]
}

/** Part of what `ip -json address` prints. */
interface LinkReport {
  readonly ifname: string
  readonly mtu: number
  readonly addr_info: readonly { readonly family?: string; readonly local: string; readonly prefixlen: number }[]
}

/** Part of what `ip -json route` prints. */
interface RouteReport {
  readonly dst: string
  readonly gateway?: string
  readonly dev: string
  /** `kernel` for the route that an address brings with it. */
  readonly protocol?: string
}

/** Finds the interface that has the pod's address. Undefined when there is none. */
export async function findPodInterface(namespace: string, address: string): Promise<PodInterface | undefined> {
  return podInterfaceOf(address, ...(await report(namespace)))
}

/** Finds an interface by its name, which may have no address. Undefined when there is none. */
export async function findPodLink(namespace: string, name: string): Promise<PodLink | PodInterface | undefined> {
  const [links, routes] = await report(namespace)
  const link = links.find(({ ifname }) => ifname === name)
  const address = link?.addr_info[0]?.local
  if (link === undefined || address === undefined) return link && { name, mtu: link.mtu }
  return podInterfaceOf(address, [link], routes)
}

/** Reports whether a network plugin has given the interface an address. */
export function hasAddress(link: PodLink | PodInterface): link is PodInterface {
  return 'address' in link
}

async function report(namespace: string): Promise<[LinkReport[], RouteReport[]]> {
  const [links = '[]', routes = '[]'] = await Promise.all(
    [['address'], ['-4', 'route']].map((object) => runInNetworkNamespace(namespace, ['ip', '-json', ...object, 'show'])),
  )
  const all = JSON.parse(links) as LinkReport[]
  const own = all.map((link) => ({ ...link, addr_info: link.addr_info.filter(({ family }) => family === 'inet') }))
  return [own, JSON.parse(routes) as RouteReport[]]
}

/** Returns the interface that has the address, from the reports of `ip`. Pure. */
export function podInterfaceOf(address: string, links: readonly LinkReport[], routes: readonly RouteReport[]): PodInterface | undefined {
  for (const { ifname: name, mtu, addr_info: addresses } of links) {
    const own = addresses.find(({ local }) => local === address)
    if (own === undefined) continue
    const through = routes.filter(({ dev, protocol }) => dev === name && protocol !== 'kernel')
    const gateway = through.find(({ dst }) => dst === 'default')?.gateway
    return {
      name,
      mtu,
      address,
      prefix: own.prefixlen,
      ...(gateway === undefined ? {} : { gateway }),
      routes: through
        .filter(({ dst }) => dst !== 'default')
        .map(({ dst, gateway: via }) => ({ to: dst.includes('/') ? dst : `${dst}/32`, ...(via === undefined ? {} : { via }) })),
    }
  }
  return undefined
}
