import type { Pod } from '#api/core/v1/pod.ts'

interface HostPort {
  readonly address: string
  readonly protocol: string
  readonly port: number
}

/** Reports whether a pod requests a host port that one of the others has. */
export function hostPortsConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  const taken = others.flatMap(hostPorts)
  return wanted.some((port) => taken.some((other) => overlap(port, other)))
}

function hostPorts(pod: Pod): readonly HostPort[] {
  return pod.spec.containers
    .flatMap((container) => container.ports ?? [])
    .filter((port) => (port.hostPort ?? 0) > 0)
    .map((port) => ({ address: port.hostIP ?? '0.0.0.0', protocol: port.protocol ?? 'TCP', port: port.hostPort ?? 0 }))
}

function overlap(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.address === b.address || [a.address, b.address].some((address) => address === '0.0.0.0' || address === '')
  return a.port === b.port && a.protocol === b.protocol && sameAddress
}
