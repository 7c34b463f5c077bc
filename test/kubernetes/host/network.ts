import { execute, type Host } from './host.ts'

/** Address of the control plane, where the API server listens. */
export const controlPlaneAddress = '10.245.0.1'
export const serviceNetwork = '10.96.0.0/16'
/** Service of the API server. */
export const apiService = '10.96.0.1'
/** Domain of the names of Services and pods. */
export const clusterDomain = 'cluster.local'
export const podNetwork = '10.244.0.0/16'
const bridge = 'nodes'

/** Addresses of a node, by its number from 1. */
export function addressesOf(number: number): { readonly node: string; readonly pods: string; readonly gateway: string } {
  return { node: `10.245.0.${10 + number}`, pods: `10.244.${number}.0/24`, gateway: `10.244.${number}.1` }
}

/**
 * Connects nodes by a bridge in the network of the control plane, with routes to the pods of each.
 * Nothing leads to the machine's own network. Repairs what a killed host has taken along.
 */
export async function connectHosts(controlPlane: Host, nodes: readonly Host[]): Promise<void> {
  if (!(await hasInterface(controlPlane, bridge))) await ip(controlPlane, [`link add ${bridge} type bridge`])
  await ip(controlPlane, [`addr replace ${controlPlaneAddress}/24 dev ${bridge}`, `link set ${bridge} up`])
  for (const [index, node] of nodes.entries()) {
    if (!(await hasInterface(node, 'eth0'))) {
      // The interface disappears with the node's network, but not at the same time.
      if (await hasInterface(controlPlane, node.name)) await ip(controlPlane, [`link delete ${node.name}`])
      await ip(controlPlane, [`link add ${node.name} type veth peer name eth0 netns ${node.first?.pid ?? ''}`])
    }
    await ip(controlPlane, [`link set ${node.name} master ${bridge} up`])
    await ip(node, [`addr replace ${addressesOf(index + 1).node}/24 dev eth0`, 'link set eth0 up'])
  }
  const routes = nodes.map((_, index) => `route replace ${addressesOf(index + 1).pods} via ${addressesOf(index + 1).node}`)
  // No kube-proxy runs beside the API server: node-1 forwards what tests send to services.
  await ip(controlPlane, [...routes, `route replace ${serviceNetwork} via ${addressesOf(1).node}`])
  for (const [index, node] of nodes.entries()) await ip(node, [...routes.toSpliced(index, 1), `route replace ${serviceNetwork} dev eth0`])
}

async function hasInterface(host: Host, name: string): Promise<boolean> {
  const links = JSON.parse(await execute(host.inNetwork(['ip', '-json', 'link']))) as { ifname: string }[]
  return links.some(({ ifname }) => ifname === name)
}

async function ip(host: Host, lines: readonly string[]): Promise<void> {
  await execute(host.inNetwork(['ip', '-batch', '-']), { input: `${lines.join('\n')}\n` })
}
