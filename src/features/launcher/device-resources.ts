import type { Pod } from '#api/core/v1/pod.ts'

/** Extended resource of a node by which a container gets /dev/kvm, as in KubeVirt. */
export const kvmResource = 'devices.kubevirt.io/kvm'

/** Extended resource of a node by which a container gets /dev/net/tun, as in KubeVirt. */
export const tunResource = 'devices.kubevirt.io/tun'

/** Reports whether a launcher pod gets a device from the kubelet. */
export function requestsDevice({ spec }: Pick<Pod, 'spec'>, resource: typeof kvmResource | typeof tunResource): boolean {
  return spec.containers.some(({ resources }) => resources?.limits?.[resource] !== undefined)
}
