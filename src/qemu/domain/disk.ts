import type { Disk, Domain } from './domain.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/** Ports of one SATA controller. */
const SATA_PORTS = 6

/**
 * Arguments of all disks: their threads and controllers, then for each a two-node block graph
 * (file, format) and the device on its bus.
 */
export function diskArguments(domain: Domain, slots: PciSlots): string[] {
  const { disks, ioThreads } = domain
  const places = placesOf(disks)
  return [
    ...ioThreads.flatMap((name) => ['-object', `iothread,id=iothread-${name}`]),
    ...controllerArguments(domain, slots),
    ...disks.flatMap((disk, index) => [...blockNodes(disk), '-device', deviceOf(disk, places[index] ?? 0, domain, slots)]),
  ]
}

/** Each disk's place among those of its bus. */
function placesOf(disks: readonly Disk[]): number[] {
  const counts = new Map<string, number>()
  return disks.map(({ bus }) => {
    const place = counts.get(bus) ?? 0
    counts.set(bus, place + 1)
    return place
  })
}

function controllerArguments(domain: Domain, slots: PciSlots): string[] {
  const count = (bus: Disk['bus']): number => domain.disks.filter((disk) => disk.bus === bus).length
  const sata = Array.from({ length: Math.ceil(count('sata') / SATA_PORTS) }, (_, index) => `ich9-ahci,id=sata${index},${slots.next()}`)
  return [
    ...(count('scsi') > 0 ? ['-device', `${virtioDevice('scsi', domain)},id=scsi0,${slots.next()}`] : []),
    ...sata.flatMap((device) => ['-device', device]),
  ]
}

function blockNodes(disk: Disk): string[] {
  // Asynchronous I/O of the kernel works only past its cache.
  const direct = disk.cache === 'none' || (disk.cache === undefined && disk.io === 'native')
  const file = {
    driver: disk.isHostDevice === true ? 'host_device' : 'file',
    'node-name': `file-${disk.name}`,
    filename: disk.path,
    'read-only': disk.readOnly,
    discard: 'unmap',
    ...(disk.io === undefined ? {} : { aio: disk.io }),
    cache: { direct, 'no-flush': false },
  }
  const format = {
    driver: disk.format,
    'node-name': `disk-${disk.name}`,
    'read-only': disk.readOnly,
    discard: 'unmap',
    cache: { direct, 'no-flush': false },
    file: `file-${disk.name}`,
  }
  return ['-blockdev', JSON.stringify(file), '-blockdev', JSON.stringify(format)]
}

function deviceOf(disk: Disk, place: number, domain: Domain, slots: PciSlots): string {
  const common = [
    option('drive', `disk-${disk.name}`),
    option('id', `dev-${disk.name}`),
    option('serial', disk.serial),
    option('bootindex', disk.bootOrder),
    option('logical_block_size', disk.blockSize?.logical),
    option('physical_block_size', disk.blockSize?.physical),
    option('discard_granularity', disk.blockSize?.discard),
    option('werror', disk.onError),
    // A read needs no space.
    option('rerror', disk.onError === 'enospc' ? 'report' : disk.onError),
    disk.device === 'cdrom'
      ? ''
      : option('write-cache', disk.cache === undefined ? undefined : disk.cache === 'writethrough' ? 'off' : 'on'),
  ]
  return [...busDevice(disk, place, domain, slots), ...common].filter((part) => part !== '').join(',')
}

function busDevice(disk: Disk, place: number, domain: Domain, slots: PciSlots): string[] {
  switch (disk.bus) {
    case 'virtio':
      return [
        virtioDevice('blk', domain),
        slots.next(),
        option('num-queues', disk.queues),
        disk.ioThread === undefined ? '' : `iothread=iothread-${disk.ioThread}`,
      ]
    case 'scsi':
      return [disk.device === 'cdrom' ? 'scsi-cd' : 'scsi-hd', 'bus=scsi0.0', `scsi-id=${place}`]
    case 'sata':
      return [disk.device === 'cdrom' ? 'ide-cd' : 'ide-hd', `bus=sata${Math.floor(place / SATA_PORTS)}.${place % SATA_PORTS}`]
    case 'usb':
      return ['usb-storage', 'bus=usb0.0', 'removable=on']
  }
}
