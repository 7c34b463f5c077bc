import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { podRequests, type Amounts } from '#api/usage/pod-requests.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { kubevirtPlace, type UpgradeInventory } from '../inventory.ts'
import { freeByNode } from './targets.ts'

const agentName = 'virt-handler'

/** Resources that a node agent may request less of. */
const adjustable = ['cpu', 'memory'] as const

/** A node on which the new node agent does not fit. */
interface Shortage {
  readonly node: string
  /** What the agent could request there, for each resource that is short. */
  readonly most: ReadonlyMap<string, bigint>
}

/** Finds nodes without room for the node agent of the new release, which goes before guests. */
export function agentRoomFindings(inventory: UpgradeInventory): Finding[] {
  const needs = agentRequests(inventory)
  if (needs === undefined) return []
  const short = shortages(inventory, needs)
  const command = smallerAgent(inventory, short)
  return short.map(({ node, most }) => {
    const lacking = [...most].map(([resource, amount]) => `${worded(resource, (needs.get(resource) ?? 0n) - amount)} of ${resource}`)
    return {
      id: 'NoRoomForAgent',
      severity: 'forceable',
      object: `node/${node}`,
      what: `Node ${node} lacks ${lacking.join(' and ')} for the node agent of ${inventory.to}`,
      why: 'Kubernetes would end guests of the node, without a migration, to make room for it',
      command,
    }
  })
}

function agentRequests({ objects }: UpgradeInventory): Amounts | undefined {
  const agent = objects.find(({ kind, metadata }) => kind === 'DaemonSet' && metadata?.name === agentName) as DaemonSet | undefined
  const { spec } = agent?.spec.template ?? {}
  return spec === undefined ? undefined : podRequests({ metadata: {}, spec })
}

/** The agent of the old release ends first, and leaves its room. */
function shortages(inventory: UpgradeInventory, needs: Amounts): Shortage[] {
  return [...freeByNode(inventory)].flatMap(([node, free]) => {
    const agent = inventory.pods.find(
      ({ metadata, spec }) => metadata.labels?.['kubevirt.io'] === agentName && spec.nodeName === node && !isBeingDeleted({ metadata }),
    )
    if (agent === undefined) return []
    const old = podRequests(agent)
    const most = new Map<string, bigint>()
    for (const resource of adjustable) {
      const room = free.get(resource)
      if (room === undefined) continue
      const available = room + (old.get(resource) ?? 0n)
      const need = needs.get(resource) ?? 0n
      // Of a node that is overcommitted, an agent that requests nothing needs nothing.
      if (need > 0n && need > available) most.set(resource, available > 0n ? available : 0n)
    }
    return most.size === 0 ? [] : [{ node, most }]
  })
}

/** Returns the command by which node agents request no more than the fullest node has. */
function smallerAgent(inventory: UpgradeInventory, short: readonly Shortage[]): string {
  const requests: Record<string, string> = {}
  for (const resource of adjustable) {
    const amounts = short.flatMap(({ most }) => most.get(resource) ?? [])
    if (amounts.length > 0)
      requests[resource] = worded(
        resource,
        amounts.reduce((a, b) => (a < b ? a : b)),
      )
  }
  const template = { spec: { containers: [{ name: agentName, resources: { requests } }] } }
  const patch = { resourceType: 'DaemonSet', resourceName: agentName, type: 'strategic', patch: JSON.stringify({ spec: { template } }) }
  const { object, namespace } = kubevirtPlace(inventory)
  const patches = [...(inventory.kubevirt.spec.customizeComponents?.patches ?? []), patch]
  return mergePatch(object, namespace, { spec: { customizeComponents: { patches } } })
}

/** Rounds down. Amounts are in thousandths. */
function worded(resource: string, milli: bigint): string {
  return resource === 'memory' ? `${milli / 1000n / 1024n}Ki` : `${milli}m`
}
