import { createHash } from 'node:crypto'
import type { Interface as VmiInterface } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface } from '#qemu/index.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** Returns the name of a card's tap device. */
export type TapOf = (card: string) => string

/**
 * Returns the network cards. Only the pod network is supported so far. Without `tapOf` they reach
 * nothing. @throws UnsupportedGuest
 */
export function guestInterfacesOf(
  vmi: VirtualMachineInstance,
  { uuid, vcpus }: { readonly uuid: string; readonly vcpus: number },
  tapOf: TapOf | undefined,
): Interface[] {
  const queues = vmi.spec.domain.devices.networkInterfaceMultiqueue === true ? Math.min(vcpus, mostQueues) : 1
  return (vmi.spec.domain.devices.interfaces ?? []).map((card) => {
    const network = vmi.spec.networks?.find((candidate) => candidate.name === card.name)
    if (network?.pod === undefined)
      throw new UnsupportedGuest(`interface "${card.name}" must be on the pod network: others are not supported yet`)
    return {
      name: card.name,
      model: modelOf(card),
      mac: card.macAddress ?? stableMac(uuid, card),
      ...(card.bootOrder === undefined ? {} : { bootOrder: card.bootOrder }),
      ...(queues > 1 && tapOf !== undefined && modelOf(card) === 'virtio' ? { queues } : {}),
      // Unrestricted, user-mode networking would expose every service on the host's loopback
      // address.
      backend: tapOf === undefined ? { kind: 'user', restrict: true } : { kind: 'tap', device: tapOf(card.name) },
    }
  })
}

/** Queues of a tap device. */
const mostQueues = 256

/** Models that KubeVirt accepts. The node's QEMU may lack some. */
const models: readonly string[] = ['virtio', 'e1000e', 'e1000', 'igb', 'rtl8139', 'ne2k_pci', 'pcnet']

function modelOf({ name, model = '' }: VmiInterface): string {
  if (model === '' || models.includes(model)) return model || 'virtio'
  throw new UnsupportedGuest(`interface "${name}" must be of model ${models.join(', ')}, and asks for "${model}"`)
}

/** Returns a locally administered address derived from the guest's UUID and the card's name. */
function stableMac(guestUuid: string, card: VmiInterface): string {
  const digest = createHash('sha256').update(`${guestUuid}/${card.name}`).digest()
  return ['02', ...Array.from(digest.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0'))].join(':')
}
