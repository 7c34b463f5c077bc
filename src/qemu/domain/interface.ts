import type { Domain, Interface } from './domain.ts'
import { placeInPort } from './hotplug-port.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/**
 * Arguments of the network cards on the root bus. Without a boot order the option ROM is left out:
 * it would cost each boot a second.
 */
export function interfaceArguments(domain: Domain, slots: PciSlots): string[] {
  const fixed = domain.interfaces.filter(({ port }) => port === undefined)
  return fixed.flatMap((card) => ['-netdev', backendOf(card), '-device', deviceOf(card, domain, slots.next())])
}

/**
 * Arguments of the network cards that can be unplugged. After those of the ports that they are in.
 */
export function pluggedInterfaceArguments(domain: Domain): string[] {
  return domain.interfaces.flatMap((card) =>
    card.port === undefined ? [] : ['-netdev', backendOf(card), '-device', deviceOf(card, domain, placeInPort(card.port))],
  )
}

/** Returns the `-netdev` value of a card. */
export function backendOf(card: Pick<Interface, 'name' | 'queues' | 'backend'>): string {
  if (card.backend.kind === 'tap') {
    const device = option('ifname', card.backend.device)
    const queues = card.queues === undefined ? [] : [option('queues', card.queues)]
    return ['tap', option('id', netdevId(card.name)), device, 'script=no', 'downscript=no', ...queues].join(',')
  }
  return ['user', option('id', netdevId(card.name)), `restrict=${card.backend.restrict ? 'on' : 'off'}`].join(',')
}

/** Returns the `-device` value of a card at a place of {@link PciSlots}. */
export function deviceOf(
  card: Omit<Interface, 'backend' | 'port'>,
  domain: { readonly machine: Pick<Domain['machine'], 'virtioTransitional'> },
  place: string,
): string {
  const model = card.model === 'virtio' ? virtioDevice('net', domain) : card.model
  const boot = card.bootOrder === undefined ? 'romfile=' : option('bootindex', card.bootOrder)
  // A vector for each queue, for changes of the configuration, and for the control queue.
  const queues = card.queues === undefined ? [] : ['mq=on', option('vectors', 2 * card.queues + 2)]
  const names = [option('netdev', netdevId(card.name)), option('id', nicId(card.name)), option('mac', card.mac)]
  return [model, place, ...names, ...queues, boot].join(',')
}

/** Returns QEMU's id of a card's backend. */
export function netdevId(card: string): string {
  return `net-${card}`
}

/** Returns QEMU's id of a card. */
export function nicId(card: string): string {
  return `nic-${card}`
}
