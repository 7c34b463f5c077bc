import type { Node } from '#api/core/v1/node.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import { lastHeartbeat } from '#features/node-health/index.ts'
import { names } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { ComponentPod } from './component-pod.ts'

/**
 * Why an agent that is ready is none that others should follow: its node has not been heard of
 * since it started, or it does not reach the guests there. Undefined: nothing speaks against it.
 * `release` is the mark of its version; an agent that says nothing of guests is believed. Pure.
 */
export function canaryFault(node: Node, pod: Pick<ComponentPod, 'madeAt'>, guests: number, release: string): string | undefined {
  const { atMs, word } = lastHeartbeat(node)
  if (word?.release === release) {
    return word.guests >= guests ? undefined : `it reaches ${word.guests} of the ${guests} guests there`
  }
  return atMs !== undefined && atMs >= pod.madeAt ? undefined : 'its node has not been heard of since it was started'
}

/** Guests that an agent must know: those that it was told of, and run. Pure. */
export function expectedGuests(vmis: readonly VirtualMachineInstance[]): number {
  return vmis.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running').length
}

/** What the examiner needs from the world. */
export interface CanaryCheckPorts {
  readonly client: Client
  readonly nodes: Lister<Node>
}

/**
 * Makes what looks at the agents of a new version until one of them is found to do its work, and
 * remembers which one that was. Gives the pods with what is wrong about them. Those that run
 * already because of an earlier one are not looked at.
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
