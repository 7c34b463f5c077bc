import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/** Extended resource of a node by which a container gets /dev/kvm, as in KubeVirt. */
export const kvmResource = 'devices.kubevirt.io/kvm'

/** Label of a node with the accelerator of its guests, `kvm` or `tcg`, set by its node agent. */
export const acceleratorLabel = 'steadyvm.io/accelerator'

/** Reports whether a launcher pod gets /dev/kvm from the kubelet. */
export function requestsKvm({ spec }: Pick<Pod, 'spec'>): boolean {
  return spec.containers.some(({ resources }) => resources?.limits?.[kvmResource] !== undefined)
}

/**
 * Reports whether guests of a cluster run with KVM: if any node has it, so that the scheduler does
 * not choose one that emulates. Undefined until a node agent has reported.
 */
export function hasKvmNodes(nodes: readonly Node[]): boolean | undefined {
  const accelerators = nodes.flatMap(({ metadata }) => metadata.labels?.[acceleratorLabel] ?? [])
  return accelerators.length === 0 ? undefined : accelerators.includes('kvm')
}
