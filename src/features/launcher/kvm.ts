import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Lister } from '#runtime/cache/lister.ts'

/** Extended resource of a node by which a container gets /dev/kvm, as in KubeVirt. */
export const kvmResource = 'devices.kubevirt.io/kvm'

/** Extended resource of a node by which a container gets /dev/net/tun, as in KubeVirt. */
export const tunResource = 'devices.kubevirt.io/tun'

/** Label of a node with the accelerator of its guests, `kvm` or `tcg`, set by its node agent. */
export const acceleratorLabel = 'steadyvm.io/accelerator'

/** Reports whether a launcher pod gets /dev/kvm from the kubelet. */
export function requestsKvm({ spec }: Pick<Pod, 'spec'>): boolean {
  return spec.containers.some(({ resources }) => resources?.limits?.[kvmResource] !== undefined)
}

/** Facts that decide whether the launchers of new guests request KVM. */
export interface KvmOptions {
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  readonly nodes: Pick<Lister<Node>, 'list'>
  readonly config: () => { readonly useEmulation: boolean }
}

/**
 * Reports whether the launcher of a new guest requests KVM: if any node has it, so that the
 * scheduler does not choose one that emulates. Undefined until a node agent has reported, as a pod
 * gets /dev/kvm when it is created, or never.
 */
export function needsKvm({ inContainer, nodes, config }: KvmOptions): boolean | undefined {
  if (!inContainer || config().useEmulation) return false
  const accelerators = nodes.list().flatMap(({ metadata }) => metadata.labels?.[acceleratorLabel] ?? [])
  return accelerators.length === 0 ? undefined : accelerators.includes('kvm')
}
