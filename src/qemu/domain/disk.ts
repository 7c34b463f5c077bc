import type { Disk } from './domain.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'

/** Arguments of all disks: a two-node block graph each (file, format), then the device on its bus. */
export function diskArguments(disks: readonly Disk[], slots: PciSlots): string[] {
  const controllers = controllerArguments(disks, slots)
  return [...controllers, ...disks.flatMap((disk, index) => [...blockNodes(disk), '-device', deviceOf(disk, index, slots)])]
}

function controllerArguments(disks: readonly Disk[], slots: PciSlots): string[] {
  const buses = new Set(disks.map((disk) => disk.bus))
  const iothreads = disks.filter((disk) => disk.iothread === true).flatMap((disk) => ['-object', `iothread,id=iothread-${disk.name}`])
  return [
    ...iothreads,
    ...(buses.has('scsi') ? ['-device', `virtio-scsi-pci,id=scsi0,${slots.next()}`] : []),
    ...(buses.has('sata') ? ['-device', `ich9-ahci,id=sata0,${slots.next()}`] : []),
  ]
}

function blockNodes(disk: Disk): string[] {
  const direct = disk.cache === 'none'
  const file = {
    driver: 'file',
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

function deviceOf(disk: Disk, index: number, slots: PciSlots): string {
  const common = [
    `drive=disk-${disk.name}`,
    `id=dev-${disk.name}`,
    option('serial', disk.serial),
    option('bootindex', disk.bootOrder),
    option('logical_block_size', disk.blockSize?.logical),
    option('physical_block_size', disk.blockSize?.physical),
    disk.device === 'cdrom'
      ? ''
      : option('write-cache', disk.cache === undefined ? undefined : disk.cache === 'writethrough' ? 'off' : 'on'),
  ]
  return [...busDevice(disk, index, slots), ...common].filter((part) => part !== '').join(',')
}

function busDevice(disk: Disk, index: number, slots: PciSlots): string[] {
  switch (disk.bus) {
    case 'virtio':
      return [
        'virtio-blk-pci',
        slots.next(),
        option('num-queues', disk.queues),
        disk.iothread === true ? `iothread=iothread-${disk.name}` : '',
      ]
    case 'scsi':
      return [disk.device === 'cdrom' ? 'scsi-cd' : disk.device === 'lun' ? 'scsi-block' : 'scsi-hd', 'bus=scsi0.0', `scsi-id=${index}`]
    case 'sata':
      return [disk.device === 'cdrom' ? 'ide-cd' : 'ide-hd', `bus=sata0.${index}`]
    case 'usb':
      return ['usb-storage', 'bus=usb0.0', 'removable=on']
  }
}
