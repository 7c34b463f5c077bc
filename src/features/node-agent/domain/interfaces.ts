import { createHash } from 'node:crypto'
import type { Interface as VmiInterface } from '#api/kubevirt/v1/domain/interface.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface } from '#qemu/index.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** The network cards of a guest. Only the pod network exists so far. @throws UnsupportedGuest */
export function guestInterfacesOf(vmi: VirtualMachineInstance, guestUuid: string): Interface[] {
  return (vmi.spec.domain.devices.interfaces ?? []).map((card) => {
    const network = vmi.spec.networks?.find((candidate) => candidate.name === card.name)
    if (network?.pod === undefined)
      throw new UnsupportedGuest(`interface "${card.name}" must be on the pod network: others are not supported yet`)
    return {
      name: card.name,
      model: modelOf(card),
      mac: card.macAddress ?? stableMac(guestUuid, card),
      ...(card.bootOrder === undefined ? {} : { bootOrder: card.bootOrder }),
      // Without the restriction, user-mode networking would let the guest reach everything that
      // listens on the host's loopback address.
      backend: { kind: 'user', restrict: true },
    }
  })
}

/** Cards that KubeVirt knows. Whether the node's QEMU has them is another question. */
const models: readonly string[] = ['virtio', 'e1000e', 'e1000', 'igb', 'rtl8139', 'ne2k_pci', 'pcnet']

function modelOf({ name, model = '' }: VmiInterface): string {
  if (model === '' || models.includes(model)) return model || 'virtio'
  throw new UnsupportedGuest(`interface "${name}" must be of model ${models.join(', ')}, and asks for "${model}"`)
}

/** A locally administered address that the card keeps for as long as the guest keeps its UUID. */
function stableMac(guestUuid: string, card: VmiInterface): string {
  const digest = createHash('sha256').update(`${guestUuid}/${card.name}`).digest()
  return ['02', ...Array.from(digest.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0'))].join(':')
}
