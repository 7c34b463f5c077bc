import type { Node } from '#api/core/v1/node.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { lastHeartbeat } from '#features/node-health/index.ts'
import { names } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { ComponentPod } from './component-pod.ts'

/**
 * Returns why a ready canary must not be rolled out further: no node heartbeat since the pod
 * started, or running guests that it cannot reach. Undefined when it is healthy. `release` is the
 * mark of its version; an agent that does not report guests is accepted. Pure.
 */
export function canaryFault(node: Node, pod: Pick<ComponentPod, 'madeAt'>, guests: number, release: string): string | undefined {
  const { atMs, word } = lastHeartbeat(node)
  if (word?.release === release) {
    return word.guests >= guests ? undefined : `it reaches ${word.guests} of the ${guests} guests there`
  }
  return atMs !== undefined && atMs >= pod.madeAt ? undefined : 'its node has not been heard of since it was started'
}

/** Counts the running guests of a node, all of which its agent must reach. Pure. */
export function expectedGuests(vmis: readonly VirtualMachineInstance[]): number {
  return vmis.filter(({ metadata, status }) => !isBeingDeleted({ metadata }) && status?.phase === 'Running').length
}

/** Dependencies of the canary check. */
export interface CanaryCheckPorts {
  readonly client: Client
  readonly nodes: Lister<Node>
}

/**
 * Checks agents of a new version until one is healthy, and remembers that one. Returns the pods
 * with their faults. Later agents are not checked: they run because of the healthy canary.
 */
export function createCanaryCheck({
  client,
  nodes,
}: CanaryCheckPorts): (pods: readonly ComponentPod[], release: string, signal: AbortSignal) => Promise<readonly ComponentPod[]> {
  const sound = new Set<string>()
  const examine = async (pod: ComponentPod, release: string, signal: AbortSignal): Promise<string | undefined> => {
    const node = nodes.get('', pod.node)
    if (node === undefined) return undefined
    const { items } = await client.list(virtualMachineInstances, { labelSelector: `${names.nodeNameLabel}=${pod.node}`, signal })
    return canaryFault(node, pod, expectedGuests(items), release)
  }
  return async (pods, release, signal) => {
    const candidates = pods.filter(({ isCurrent, isReady, isLeaving }) => isCurrent && isReady && !isLeaving)
    if (candidates.some(({ uid }) => sound.has(uid))) return pods
    const faults = new Map<string, string>()
    for (const pod of candidates) {
      const fault = await examine(pod, release, signal)
      if (fault === undefined) {
        sound.clear()
        sound.add(pod.uid)
        return pods
      }
      faults.set(pod.uid, fault)
    }
    return pods.map((pod) => ({ ...pod, fault: faults.get(pod.uid) }))
  }
}
