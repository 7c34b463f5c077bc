import { componentNamespace } from '#api/access/component-users.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import type { MachineConfig } from '#machine/home/config.ts'
import { isHealthy, type HealthEndpoint } from '#machine/control-plane/health-probe.ts'

/** Components by placement: one per node, one on the first node, one on any node. */
const ON_EVERY_NODE = ['virt-handler']
const ON_FIRST_NODE = ['apiserver']
const SOMEWHERE = ['virt-operator', 'virt-api', 'virt-controller']
/** Shown where it is installed. Guests do not need it. */
const OPTIONAL = ['hyperconverged-operator', 'prometheus']

/** State of one component on one node. */
export interface ComponentState {
  readonly component: string
  readonly node: string
  readonly ready: boolean
  readonly restarts: number
  /** Waiting reason of the container, or `not started`. */
  readonly detail: string
  /** Health endpoint; undefined before there is a pod. */
  readonly health?: HealthEndpoint
}

/**
 * Returns the state of every expected component, from its pods. Of several pods, as during a
 * rollout, a ready one counts.
 */
export async function componentStates(client: Client, config: MachineConfig): Promise<ComponentState[]> {
  const { items } = await client.list(pods, { namespace: componentNamespace })
  const living = items.filter(({ metadata }) => !isBeingDeleted({ metadata }))
  const first = config.nodes[0] ?? ''
  const find = (component: string, node?: string): Pod | undefined => {
    const found = living.filter(
      ({ metadata, spec }) => metadata.labels?.['kubevirt.io'] === component && (node === undefined || spec.nodeName === node),
    )
    return found.find((pod) => pod.status?.containerStatuses?.[0]?.ready === true) ?? found[0]
  }
  return [
    ...ON_FIRST_NODE.map((component) => stateOf(component, first, find(component, first))),
    ...[...SOMEWHERE, ...OPTIONAL.filter((component) => find(component) !== undefined)].map((component) => {
      const pod = find(component)
      return stateOf(component, pod?.spec.nodeName ?? first, pod)
    }),
    ...config.nodes.flatMap((node) => ON_EVERY_NODE.map((component) => stateOf(component, node, find(component, node)))),
  ]
}

/** Returns the nodes without condition Ready=True. */
export async function unreadyNodes(client: Client, config: MachineConfig): Promise<string[]> {
  const list = await client.list(nodes)
  return config.nodes.filter((name) => !isNodeReady(list.items.find((node) => node.metadata?.name === name)))
}

/**
 * Describes the required components and nodes that are not ready; undefined when all are. The
 * stored pod status may predate a restart of the machine, so the health endpoints are asked, too.
 */
export async function unreadyComponents(client: Client, config: MachineConfig): Promise<string | undefined> {
  const [states, notReady] = await Promise.all([componentStates(client, config), unreadyNodes(client, config)])
  const components = states.filter(({ component }) => !OPTIONAL.includes(component))
  const answers = await Promise.all(components.map(async (component) => component.ready && (await isAnswering(component))))
  const missing = [
    ...notReady.map((node) => `node ${node}`),
    ...components
      .filter((_, index) => answers[index] === false)
      .map(({ component, node, detail }) => `${component} on ${node}${detail === '' ? '' : ` (${detail})`}`),
  ]
  return missing.length === 0 ? undefined : missing.join(', ')
}

async function isAnswering({ component, health }: ComponentState): Promise<boolean> {
  // The API server has just answered a request.
  return component === 'apiserver' || (health !== undefined && (await isHealthy(health)))
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
    ...healthOf(pod),
  }
}

function healthOf(pod: Pod | undefined): Pick<ComponentState, 'health'> {
  const probe = pod?.spec.containers[0]?.readinessProbe?.httpGet
  return probe === undefined
    ? {}
    : {
        health: {
          scheme: probe.scheme === 'HTTPS' ? 'HTTPS' : 'HTTP',
          host: probe.host ?? pod?.status?.podIP ?? '',
          port: Number(probe.port),
        },
      }
}
