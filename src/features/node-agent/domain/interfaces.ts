import { createHash } from 'node:crypto'
import type { Interface as VmiInterface } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isSecondary } from '#features/network-attachment/index.ts'
import type { Interface } from '#qemu/index.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** Returns the name of a card's tap device. */
export type TapOf = (card: string) => string

/**
 * Returns the network cards, on the pod network or on a network of Multus, but for those that the
 * VMI wants unplugged. Without `tapOf` they reach nothing. @throws UnsupportedGuest
 */
export function guestInterfacesOf(
  vmi: VirtualMachineInstance,
  { uuid, vcpus, hasPorts }: { readonly uuid: string; readonly vcpus: number; readonly hasPorts: boolean },
  tapOf: TapOf | undefined,
): Interface[] {
  let ports = 0
  const queues = vmi.spec.domain.devices.networkInterfaceMultiqueue === true ? Math.min(vcpus, mostQueues) : 1
  const cards = (vmi.spec.domain.devices.interfaces ?? []).filter(({ state }) => state !== 'absent')
  return cards.map((card) => {
    const network = vmi.spec.networks?.find((candidate) => candidate.name === card.name)
    if (network?.pod === undefined && network?.multus === undefined)
      throw new UnsupportedGuest(`interface "${card.name}" must be on the pod network, or on one of a NetworkAttachmentDefinition`)
    return {
      name: card.name,
      model: modelOf(card),
      mac: card.macAddress ?? stableMac(uuid, card),
      ...(card.bootOrder === undefined ? {} : { bootOrder: card.bootOrder }),
      // Those on the pod network stay: they cannot be unplugged.
      ...(hasPorts && isSecondary(network) ? { port: ports++ } : {}),
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
