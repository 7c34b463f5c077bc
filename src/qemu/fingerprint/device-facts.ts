import type { QmpConnection } from '../qmp/connection.ts'
import { isPluggedStorage } from '../hotplug/plugged-storage.ts'
import { listProperties, readProperties } from './qom.ts'

/**
 * Properties of devices that a guest can see. A list of those, not of the others: each release of
 * QEMU adds some, most of them about itself.
 */
const visible: ReadonlySet<string> = new Set(
  (
    'legacy-addr multifunction acpi-index mac serial bootindex logical_block_size physical_block_size discard_granularity min_io_size opt_io_size ' +
    'num-queues queue-size write-cache config-wce discard write-zeroes removable scsi-id lun channel wwn rotation_rate product vendor ver model ' +
    'vectors disable-legacy disable-modern iommu_platform packed event_idx indirect_desc ats aer page-per-vq host_mtu mq rss hash csum gso guest_csum ' +
    'guest_tso4 guest_tso6 guest_ecn guest_ufo host_tso4 host_tso6 host_ecn host_ufo mrg_rxbuf status ctrl_vq ctrl_rx ctrl_vlan ctrl_mac_addr ' +
    'guest_announce rx_queue_size tx_queue_size speed duplex class chassis slot port hotplug x-speed x-width index iobase irq nr name max_ports ' +
    'emergency-write free-page-reporting free-page-hint deflate-on-oom page-poison events memaddr block-size requested-size node vgamem_mb edid xres yres ' +
    'p2 p3 intrs slots'
  ).split(' '),
)

/**
 * Returns the facts of the devices, by id. Hotplugged CPUs are listed with the others. Hotplugged
 * disks are left out: they come and go, and are not checked at the next start.
 */
export async function deviceFacts(qmp: QmpConnection): Promise<Record<string, string>> {
  const children = (await listProperties(qmp, '/machine/peripheral')).filter(
    ({ name, type }) => type.startsWith('child<') && !type.endsWith('-cpu>') && !isPluggedStorage(name),
  )
  const facts = await Promise.all(
    children.map(async ({ name, type }) => {
      const values = await readProperties(qmp, `/machine/peripheral/${name}`, (property) => visible.has(property.name))
      const title = `device ${name}`
      return [
        [`${title}: type`, /^child<(.*)>$/.exec(type)?.[1] ?? type],
        ...[...values].flatMap(([key, value]) => plain(key, value)).map(([key, value]) => [`${title}: ${key}`, value]),
      ]
    }),
  )
  return Object.fromEntries(facts.flat()) as Record<string, string>
}

function plain(name: string, value: string): (readonly [string, string])[] {
  // A disk has a write cache unless it is disabled.
  if (name === 'write-cache' && value === 'auto') return [[name, 'on']]
  // Newer releases have vectors for devices that had none, and give none to those of old machines.
  return name === 'vectors' && value === '0' ? [] : [[name, value]]
}

interface PciDevice {
  readonly qdev_id?: string
  readonly bus: number
  readonly slot: number
  readonly function: number
  readonly class_info: { readonly class: number }
  readonly id: Readonly<Record<'vendor' | 'device' | 'subsystem' | 'subsystem-vendor', number | undefined>>
  readonly irq_pin: number
  readonly regions: readonly { readonly bar: number; readonly type: string; readonly size: number; readonly prefetch?: boolean }[]
  readonly pci_bridge?: { readonly devices?: readonly PciDevice[] }
}

/**
 * Returns the facts of the PCI buses. The guest chooses the addresses of windows, not their sizes.
 */
export async function pciFacts(qmp: QmpConnection): Promise<Record<string, string>> {
  const buses = (await qmp.execute('query-pci')) as readonly { readonly bus: number; readonly devices: readonly PciDevice[] }[]
  return Object.fromEntries(buses.flatMap(({ devices }) => devices.flatMap((device) => functionFacts(device, ''))))
}

function functionFacts(device: PciDevice, behind: string): (readonly [string, string])[] {
  const place = `${behind}${hex(device.slot, 2)}.${device.function}`
  const { vendor, device: product, subsystem, 'subsystem-vendor': subsystemVendor } = device.id
  const windows = device.regions.map(({ bar, type, size, prefetch }) => `${bar}:${type}:${size}${prefetch === true ? ':prefetch' : ''}`)
  const ids = [vendor, product, subsystemVendor, subsystem].map((id) => hex(id ?? 0, 4)).join(':')
  const fact = [
    `pci ${place}`,
    `${ids} class=${hex(device.class_info.class, 4)} pin=${device.irq_pin} ${windows.join(' ')}`.trim(),
  ] as const
  const children = (device.pci_bridge?.devices ?? []).filter(({ qdev_id: id = '' }) => !isPluggedStorage(id))
  return [fact, ...children.flatMap((child) => functionFacts(child, `${place}/`))]
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
