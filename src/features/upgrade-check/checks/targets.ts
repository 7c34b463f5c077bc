import type { Node } from '#api/core/v1/node.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { parseAmounts, podRequests, sumAmounts, type Amounts } from '#api/usage/pod-requests.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { names } from '#features/vmi/index.ts'
import type { Finding } from '../finding.ts'
import { guestObject, launcherFinder, excludeFromUpdates, runningGuests, guestUpdateOf } from '../guest-update.ts'
import type { UpgradeInventory } from '../inventory.ts'

/** Finds guests that can migrate and fit on no other node, by labels or by free resources. */
export function targetFindings(inventory: UpgradeInventory): Finding[] {
  const moving = runningGuests(inventory).filter((guest) => guestUpdateOf(guest, inventory) === 'move')
  if (moving.length === 0) return []
  const free = freeByNode(inventory)
  const podOf = launcherFinder(inventory.pods)
  return moving.flatMap((guest) => {
    const pod = podOf(guest)
    return targetFinding(inventory, guest, { free, needs: pod === undefined ? new Map() : podRequests(pod) })
  })
}

/** Computes the free resources of each node. Completed pods use none. */
export function freeByNode({ nodes, pods }: UpgradeInventory): ReadonlyMap<string, Amounts> {
  const lasting = pods.filter(({ status }) => !isPodTerminal({ status }))
  const byNode = Map.groupBy(lasting, ({ spec }) => spec.nodeName ?? '')
  return new Map(
    nodes.map(({ metadata: { name = '' }, status }) => {
      const used = sumAmounts((byNode.get(name) ?? []).map(podRequests))
      const all = parseAmounts(status?.allocatable)
      return [name, new Map([...all].map(([resource, amount]) => [resource, amount - (used.get(resource) ?? 0n)]))]
    }),
  )
}

interface Room {
  readonly free: ReadonlyMap<string, Amounts>
  readonly needs: Amounts
}

function targetFinding(inventory: UpgradeInventory, guest: VirtualMachineInstance, { free, needs }: Room): Finding[] {
  const others = inventory.nodes.filter((node) => node.metadata.name !== guest.status?.nodeName && isAlive(node))
  const alike = others.filter((node) => Object.entries(lackingLabels(node, guest)).length === 0)
  const roomy = alike.filter((node) => fits(needs, free.get(node.metadata.name ?? '')))
  if (roomy.some((node) => node.spec?.unschedulable !== true)) return []
  const [closed] = roomy
  const hasNode = alike.some((node) => node.spec?.unschedulable !== true)
  const relabelled = others.find((node) => node.spec?.unschedulable !== true && fits(needs, free.get(node.metadata.name ?? '')))
  const object = guestObject(guest)
  const why = 'Its migration would wait for a node until it is given up, and it stays in its old launcher'
  const command =
    closed === undefined
      ? !hasNode && relabelled !== undefined
        ? label(relabelled, guest)
        : excludeFromUpdates(guest)
      : `kubectl uncordon ${closed.metadata.name ?? ''}`
  if (hasNode) {
    const size = [...needs]
      .filter(([resource]) => resource !== 'pods')
      .map(([resource, amount]) => `${worded(resource, amount)} of ${resource}`)
    return [
      {
        id: 'NoRoomToMove',
        severity: 'warning',
        object,
        what: `No other node has room for the guest: it asks for ${size.join(', ')}`,
        why,
        command,
      },
    ]
  }
  const wanted = Object.entries(guest.spec.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`)
  const what = `No other node is open for the guest${wanted.length === 0 ? '' : `, which asks for ${wanted.join(', ')}`}`
  return [{ id: 'GuestHasNoTarget', severity: 'warning', object, what, why, command }]
}

/** Reports whether guests could start on a node if it were not cordoned. */
function isAlive({ metadata, status }: Node): boolean {
  return isTrue(status?.conditions, 'Ready') && metadata.labels?.[names.schedulableLabel] === 'true'
}

function lackingLabels({ metadata }: Node, { spec }: VirtualMachineInstance): Record<string, string> {
  return Object.fromEntries(Object.entries(spec.nodeSelector ?? {}).filter(([key, value]) => metadata.labels?.[key] !== value))
}

function label(node: Node, guest: VirtualMachineInstance): string {
  const pairs = Object.entries(lackingLabels(node, guest)).map(([key, value]) => `${key}=${value}`)
  return `kubectl label node/${node.metadata.name ?? ''} --overwrite ${pairs.join(' ')}`
}

/** A resource that a node does not report counts as sufficient. */
function fits(needs: Amounts, free: Amounts | undefined): boolean {
  return [...needs].every(([resource, amount]) => amount <= (free?.get(resource) ?? amount))
}

function worded(resource: string, milli: bigint): string {
  return resource === 'memory' ? `${(milli / 1000n + (1n << 20n) - 1n) >> 20n}Mi` : `${milli}m`
}
