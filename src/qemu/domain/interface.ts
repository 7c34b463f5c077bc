import type { Domain, Interface } from './domain.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/** Arguments of all network cards. Without a boot order the option ROM is left out: it would cost each boot a second. */
export function interfaceArguments(domain: Domain, slots: PciSlots): string[] {
  return domain.interfaces.flatMap((card) => ['-netdev', backendOf(card), '-device', deviceOf(card, domain, slots)])
}

function backendOf(card: Interface): string {
  return `user,id=net-${card.name},restrict=${card.backend.restrict ? 'on' : 'off'}`
}

function deviceOf(card: Interface, domain: Domain, slots: PciSlots): string {
  const model = card.model === 'virtio' ? virtioDevice('net', domain) : card.model
  const boot = card.bootOrder === undefined ? 'romfile=' : option('bootindex', card.bootOrder)
  return [model, slots.next(), `netdev=net-${card.name}`, `id=nic-${card.name}`, `mac=${card.mac}`, boot].join(',')
}
