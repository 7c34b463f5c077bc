import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Client } from '#client/client.ts'
import { portsOf, type MachineConfig } from '#machine/config.ts'
import { isHealthy } from '#machine/health-probe.ts'
import { SYSTEM_NAMESPACE } from '#machine/static-pods.ts'

/** Components on every node, and those only on the first one. */
const ON_EVERY_NODE = ['virt-handler']
const ON_FIRST_NODE = ['apiserver', 'virt-api', 'virt-controller']

/** One component on one node. */
export interface ComponentState {
  readonly component: string
  readonly node: string
  readonly ready: boolean
  readonly restarts: number
  /** Why it is not ready, as far as the pod says. */
  readonly detail: string
}

/** State of every component that should run, from the mirror pods. */
export async function componentStates(client: Client, config: MachineConfig): Promise<ComponentState[]> {
  const list = await client.list(pods, { namespace: SYSTEM_NAMESPACE })
  return config.nodes.flatMap((node, index) =>
    [...(index === 0 ? ON_FIRST_NODE : []), ...ON_EVERY_NODE].map((component) => {
      return stateOf(
        component,
        node,
        list.items.find((pod) => pod.metadata?.name === `${component}-${node}`),
      )
    }),
  )
}

/** Names of the nodes that are not Ready (yet). */
export async function unreadyNodes(client: Client, config: MachineConfig): Promise<string[]> {
  const list = await client.list(nodes)
  return config.nodes.filter((name) => !isNodeReady(list.items.find((node) => node.metadata?.name === name)))
}

/** Undefined when everything is ready, else what is missing. What the API remembers of the components may be of an earlier life: they are asked, too. */
export async function missingParts(client: Client, config: MachineConfig): Promise<string | undefined> {
  const [components, notReady] = await Promise.all([componentStates(client, config), unreadyNodes(client, config)])
  const answers = await Promise.all(components.map(async (component) => component.ready && (await isAnswering(component, config))))
  const missing = [
    ...notReady.map((node) => `node ${node}`),
    ...components
      .filter((_, index) => answers[index] === false)
      .map(({ component, node, detail }) => `${component} on ${node}${detail === '' ? '' : ` (${detail})`}`),
  ]
  return missing.length === 0 ? undefined : missing.join(', ')
}

async function isAnswering({ component, node }: ComponentState, config: MachineConfig): Promise<boolean> {
  const ports = portsOf(config)
  if (component === 'virt-api') return isHealthy(ports.virtApiHealth)
  if (component === 'virt-controller') return isHealthy(ports.virtController)
  // The API server has just answered.
  return component === 'virt-handler' ? isHealthy(ports.virtHandler(config.nodes.indexOf(node))) : true
}

function isNodeReady(node: Node | undefined): boolean {
  return node?.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}

function stateOf(component: string, node: string, pod: Pod | undefined): ComponentState {
  const container = pod?.status?.containerStatuses?.[0]
  const waiting = container?.state?.waiting
  return {
    component,
    node,
    ready: container?.ready ?? false,
    restarts: container?.restartCount ?? 0,
    detail: pod === undefined ? 'not started' : (waiting?.reason ?? ''),
  }
}
