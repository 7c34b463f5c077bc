import type { Domain, Interface } from './domain.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/**
 * Arguments of all network cards. Without a boot order the option ROM is left out: it would cost
 * each boot a second.
 */
export function interfaceArguments(domain: Domain, slots: PciSlots): string[] {
  return domain.interfaces.flatMap((card) => ['-netdev', backendOf(card), '-device', deviceOf(card, domain, slots)])
}

function backendOf(card: Interface): string {
  if (card.backend.kind === 'tap') {
    const device = option('ifname', card.backend.device)
    const queues = card.queues === undefined ? [] : [option('queues', card.queues)]
    return ['tap', option('id', `net-${card.name}`), device, 'script=no', 'downscript=no', ...queues].join(',')
  }
  return ['user', option('id', `net-${card.name}`), `restrict=${card.backend.restrict ? 'on' : 'off'}`].join(',')
}

function deviceOf(card: Interface, domain: Domain, slots: PciSlots): string {
  const model = card.model === 'virtio' ? virtioDevice('net', domain) : card.model
  const boot = card.bootOrder === undefined ? 'romfile=' : option('bootindex', card.bootOrder)
  // A vector for each queue, for changes of the configuration, and for the control queue.
  const queues = card.queues === undefined ? [] : ['mq=on', option('vectors', 2 * card.queues + 2)]
  const names = [option('netdev', `net-${card.name}`), option('id', `nic-${card.name}`), option('mac', card.mac)]
  return [model, slots.next(), ...names, ...queues, boot].join(',')
}
