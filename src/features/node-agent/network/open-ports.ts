import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Ports of a guest that others may connect to. */
export interface OpenPorts {
  readonly protocol: 'tcp' | 'udp'
  readonly start: number
  readonly end: number
}

/**
 * Returns the ports of a masqueraded card that are open; undefined when all are. Those of other
 * bindings are always open, as in KubeVirt. Pure.
 */
export function openPortsOf({ spec }: VirtualMachineInstance, card: string): readonly OpenPorts[] | undefined {
  const found = spec.domain.devices.interfaces?.find(({ name }) => name === card)
  const { masquerade, ports = [], portRanges = [] } = found ?? {}
  if (masquerade === undefined || ports.length + portRanges.length === 0) return undefined
  const protocolOf = (protocol = ''): 'tcp' | 'udp' => (protocol.toUpperCase() === 'UDP' ? 'udp' : 'tcp')
  return [
    ...ports.map(({ port, protocol }) => ({ protocol: protocolOf(protocol), start: port, end: port })),
    ...portRanges.map(({ protocol, start, end }) => ({ protocol: protocolOf(protocol), start, end })),
  ]
}

/** Writes ports as nftables does: `80` or `8000-8010`. */
export function formatPorts({ start, end }: Pick<OpenPorts, 'start' | 'end'>): string {
  return start === end ? String(start) : `${start}-${end}`
}
