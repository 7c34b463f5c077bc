import type { Interface } from '../domain/domain.ts'
import { placeInPort, portNumber } from '../domain/hotplug-port.ts'
import { backendOf, deviceOf, netdevId, nicId } from '../domain/interface.ts'
import { listProperties } from '../fingerprint/qom.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { addDevice, refusalOf, removeDevice } from '../qmp/refusal.ts'

/** A network card of a running guest. */
export interface PresentCard extends Pick<Interface, 'name' | 'model' | 'mac' | 'queues' | 'port'> {
  /** Reports whether it has the transitional virtio interface. */
  readonly transitional: boolean
}

/** Lists the network cards that a guest has now, in the order of their names. */
export async function readCards(qmp: QmpConnection): Promise<PresentCard[]> {
  const children = await listProperties(qmp, '/machine/peripheral')
  const cards = children.flatMap(({ name: id, type }) => (id.startsWith(nicId('')) ? [{ name: id.slice(nicId('').length), id, type }] : []))
  return Promise.all(
    cards.map(async ({ name, id, type }) => {
      const get = (property: string): Promise<unknown> => qmp.execute('qom-get', { path: `/machine/peripheral/${id}`, property })
      const [mac, bus] = await Promise.all([get('mac'), get('parent_bus')])
      const port = portNumber(String(bus).split('/').at(-1) ?? '')
      const device = /^child<(.*)>$/.exec(type)?.[1] ?? type
      const fixed = { name, mac: String(mac), ...(port === undefined ? {} : { port }) }
      if (device !== 'virtio-net-pci') return { ...fixed, model: device, transitional: false }
      const [legacy, mq, vectors] = await Promise.all(['disable-legacy', 'mq', 'vectors'].map(get))
      const queues = mq === true ? { queues: (Number(vectors) - 2) / 2 } : {}
      return { ...fixed, ...queues, model: 'virtio', transitional: legacy === 'off' }
    }),
  )
}

/** Returns the arguments of a present card, as a QEMU has to be given that starts with it. */
export function cardArguments(card: PresentCard & { readonly port: number }): readonly [netdev: string, device: string] {
  // The device of its backend is that of the node.
  const domain = { machine: { virtioTransitional: card.transitional } }
  return [backendOf({ ...card, backend: { kind: 'tap', device: 'tap' } }), deviceOf(card, domain, placeInPort(card.port))]
}

interface PciDevice {
  readonly qdev_id: string
  readonly pci_bridge?: { readonly devices?: readonly unknown[] }
}

/** Lists the hotplug ports without a device. */
export async function readFreePorts(qmp: QmpConnection): Promise<number[]> {
  const buses = (await qmp.execute('query-pci')) as readonly { readonly devices: readonly PciDevice[] }[]
  return buses
    .flatMap(({ devices }) => devices)
    .flatMap(({ qdev_id: id, pci_bridge: bridge }) => ((bridge?.devices ?? []).length === 0 ? [portNumber(id)] : []))
    .filter((port) => port !== undefined)
    .toSorted((a, b) => a - b)
}

/**
 * Plugs a card in, whose tap device exists. Idempotent. Returns the reason why QEMU refuses it;
 * undefined when it does not.
 */
export async function plugCard(
  qmp: QmpConnection,
  card: Interface & { readonly port: number },
  machine: { readonly virtioTransitional: boolean },
): Promise<string | undefined> {
  const { queues } = card
  const backend = card.backend.kind === 'tap' ? { ifname: card.backend.device, script: 'no', downscript: 'no' } : {}
  const options = { type: card.backend.kind, id: netdevId(card.name), ...backend, ...(queues === undefined ? {} : { queues }) }
  const refusal = await refusalOf(/Duplicate ID/, qmp.execute('netdev_add', options))
  if (refusal !== undefined) return refusal
  return addDevice(qmp, deviceOf(card, { machine }, placeInPort(card.port)))
}

/**
 * Asks the guest to release a card; it may take a while, or never do it. Idempotent. Returns the
 * reason why QEMU refuses.
 */
export function requestUnplug(qmp: QmpConnection, name: string): Promise<string | undefined> {
  return removeDevice(qmp, nicId(name))
}

/** Removes the backend of a card that the guest has released. Idempotent. */
export async function removeBackend(qmp: QmpConnection, name: string): Promise<void> {
  await refusalOf(/not found/, qmp.execute('netdev_del', { id: netdevId(name) }))
}

/** Connects or disconnects the cable of a card, as the guest sees it. Idempotent. */
export async function setLink(qmp: QmpConnection, name: string, up: boolean): Promise<void> {
  await qmp.execute('set_link', { name: nicId(name), up })
}
