import type { CdromDrive, Disk, Domain } from './domain.ts'
import { placeInPort } from './hotplug-port.ts'
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
  const { disks, drives = [], ioThreads } = domain
  const places = placesOf([...disks, ...drives])
  return [
    ...ioThreads.flatMap((name) => ['-object', `iothread,id=iothread-${name}`]),
    ...controllerArguments(domain, slots),
    ...disks.flatMap((disk, index) => [
      ...blockNodes(disk, launchedNodes(disk.name)).flatMap((node) => ['-blockdev', JSON.stringify(node)]),
      '-device',
      deviceOf(disk, busDevice(disk, places[index] ?? 0, domain, slots)),
    ]),
    ...drives.flatMap((drive, index) => ['-device', emptyDrive(drive, places[disks.length + index] ?? 0)]),
  ]
}

/** Names of the block nodes of a disk: its file or device, and the format of the content. */
export interface DiskNodes {
  readonly file: string
  readonly format: string
}

/** Returns the nodes of a disk that was there from the start. */
export function launchedNodes(name: string): DiskNodes {
  return { file: `file-${name}`, format: `disk-${name}` }
}

/** A CD-ROM drive without a medium. */
function emptyDrive({ name, bus, serial, bootOrder }: CdromDrive, place: number): string {
  const id = option('id', driveId(name))
  return [
    ...(bus === 'scsi' ? scsiPlace('cdrom', launchedScsiBus, place) : sataPlace('cdrom', place)),
    id,
    option('serial', serial),
    option('bootindex', bootOrder),
  ]
    .filter((part) => part !== '')
    .join(',')
}

/** Returns the id of the device of a disk that was there from the start, or of a drive. */
export function driveId(name: string): string {
  return `dev-${name}`
}

/** Each disk's place among those of its bus. */
function placesOf(disks: readonly { readonly bus: Disk['bus'] }[]): number[] {
  const counts = new Map<string, number>()
  return disks.map(({ bus }) => {
    const place = counts.get(bus) ?? 0
    counts.set(bus, place + 1)
    return place
  })
}

function controllerArguments(domain: Domain, slots: PciSlots): string[] {
  const all: readonly { readonly bus: Disk['bus'] }[] = [...domain.disks, ...(domain.drives ?? [])]
  const count = (bus: Disk['bus']): number => all.filter((disk) => disk.bus === bus).length
  const sata = Array.from({ length: Math.ceil(count('sata') / SATA_PORTS) }, (_, index) => `ich9-ahci,id=sata${index},${slots.next()}`)
  return [
    ...(count('scsi') > 0 ? ['-device', `${virtioDevice('scsi', domain)},id=scsi0,${slots.next()}`] : []),
    ...sata.flatMap((device) => ['-device', device]),
  ]
}

/** Returns the block nodes of a disk for `blockdev-add`, in the order in which they are added. */
export function blockNodes(
  disk: Disk,
  nodes: DiskNodes,
): readonly [file: Readonly<Record<string, unknown>>, format: Readonly<Record<string, unknown>>] {
  // Asynchronous I/O of the kernel works only past its cache.
  const direct = disk.cache === 'none' || (disk.cache === undefined && disk.io === 'native')
  const file = {
    driver: disk.isHostDevice === true ? 'host_device' : 'file',
    'node-name': nodes.file,
    filename: disk.path,
    'read-only': disk.readOnly,
    discard: 'unmap',
    ...(disk.io === undefined ? {} : { aio: disk.io }),
    // Left to itself, QEMU omits locks without a word where it may not write to /dev/null.
    locking: 'on',
    cache: { direct, 'no-flush': false },
  }
  const format = {
    driver: disk.format,
    'node-name': nodes.format,
    'read-only': disk.readOnly,
    discard: 'unmap',
    cache: { direct, 'no-flush': false },
    file: nodes.file,
  }
  return [file, format]
}

function deviceOf(disk: Disk, place: readonly string[]): string {
  return [...place, ...frontendOf(disk, { node: launchedNodes(disk.name).format, id: driveId(disk.name) })].join(',')
}

/** What a disk has on any bus, as the properties of its device. */
function frontendOf(disk: Disk, { node, id }: { readonly node: string; readonly id: string }): string[] {
  return [
    option('drive', node),
    option('id', id),
    option('serial', disk.serial),
    option('bootindex', disk.bootOrder),
    option('logical_block_size', disk.blockSize?.logical),
    option('physical_block_size', disk.blockSize?.physical),
    option('discard_granularity', disk.blockSize?.discard),
    option('share-rw', disk.shareable === true ? 'on' : undefined),
    option('werror', disk.onError),
    // A read needs no space.
    option('rerror', disk.onError === 'enospc' ? 'report' : disk.onError),
    disk.device === 'cdrom'
      ? ''
      : option('write-cache', disk.cache === undefined ? undefined : disk.cache === 'writethrough' ? 'off' : 'on'),
  ].filter((part) => part !== '')
}

function busDevice(disk: Disk, place: number, domain: Domain, slots: PciSlots): string[] {
  switch (disk.bus) {
    case 'virtio':
      return virtioPlace(disk, slots.next(), domain)
    case 'scsi':
      return scsiPlace(disk.device, launchedScsiBus, place)
    case 'sata':
      return sataPlace(disk.device, place)
    case 'usb':
      return ['usb-storage', 'bus=usb0.0', 'removable=on']
  }
}

/** Bus of the SCSI controller that a guest has from its start, if it has one. */
export const launchedScsiBus = 'scsi0.0'

type VirtioMachine = { readonly machine: Pick<Domain['machine'], 'virtioTransitional'> }

function virtioPlace(disk: Disk, place: string, domain: VirtioMachine): string[] {
  const thread = disk.ioThread === undefined ? '' : `iothread=iothread-${disk.ioThread}`
  return [virtioDevice('blk', domain), place, option('num-queues', disk.queues), thread].filter((part) => part !== '')
}

function scsiPlace(device: Disk['device'], bus: string, id: number): string[] {
  return [device === 'cdrom' ? 'scsi-cd' : 'scsi-hd', `bus=${bus}`, `scsi-id=${id}`]
}

function sataPlace(device: Disk['device'], place: number): string[] {
  return [device === 'cdrom' ? 'ide-cd' : 'ide-hd', `bus=sata${Math.floor(place / SATA_PORTS)}.${place % SATA_PORTS}`]
}

/** Place of a disk that is plugged in: a PCIe port, or an id on the bus of a SCSI controller. */
export type PluggedPlace = { readonly port: number } | { readonly scsiBus: string; readonly scsiId: number }

/** Returns the `-device` value of a disk that is plugged in. */
export function pluggedDeviceOf(
  disk: Disk,
  { place, node, id }: { readonly place: PluggedPlace; readonly node: string; readonly id: string },
  domain: VirtioMachine,
): string {
  const at = 'port' in place ? virtioPlace(disk, placeInPort(place.port), domain) : scsiPlace(disk.device, place.scsiBus, place.scsiId)
  return [...at, ...frontendOf(disk, { node, id })].join(',')
}
