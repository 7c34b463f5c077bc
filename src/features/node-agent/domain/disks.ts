import type { Disk as VmiDisk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isChangeableDrive } from '#features/vmi/index.ts'
import type { CdromDrive, Disk } from '#qemu/index.ts'
import type { IoThreads } from './io-threads.ts'
import { launchedDisks } from './launched-disks.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** File behind a volume. */
export interface VolumeFile {
  readonly path: string
  readonly format: 'raw' | 'qcow2'
  /** Image that an overlay is based on. */
  readonly image?: string
  /** True for files that other guests share. */
  readonly readOnly: boolean
  /** Set when the path is a host device. */
  readonly isHostDevice?: true
  /** Set when other nodes see the same data. */
  readonly shared?: true
}

/** Context shared by all disks of a guest. */
export interface DiskSurroundings {
  readonly files: ReadonlyMap<string, VolumeFile>
  readonly ioThreads: IoThreads
  readonly vcpus: number
}

/**
 * Returns the disks that a guest starts with, in the order of the VMI: not those that are plugged
 * in. @throws UnsupportedGuest
 */
export function guestDisksOf(spec: VirtualMachineInstanceSpec, { files, ioThreads, vcpus }: DiskSurroundings): Disk[] {
  return launchedDisks(spec).map((disk) => {
    const file = files.get(disk.name)
    if (file === undefined) throw new UnsupportedGuest(`disk "${disk.name}" has no volume`)
    return guestDiskOf(disk, spec, { file, ioThread: ioThreads.byDisk.get(disk.name), vcpus })
  })
}

/** Returns the CD-ROM drives that a guest starts with, and that are empty then. */
export function guestDrivesOf(spec: VirtualMachineInstanceSpec): CdromDrive[] {
  return (spec.domain.devices.disks ?? []).flatMap((disk) => {
    if (!isChangeableDrive(disk, spec)) return []
    const bus = busOf(disk.name, disk.cdrom?.bus, 'cdrom')
    if (bus !== 'sata' && bus !== 'scsi') throw new UnsupportedGuest(`CD-ROM "${disk.name}" must be on bus scsi or sata`)
    const { name, serial, bootOrder } = disk
    return [{ name, bus, ...(serial === undefined ? {} : { serial }), ...(bootOrder === undefined ? {} : { bootOrder }) }]
  })
}

/** What a disk is made of beside its VMI. */
interface DiskParts {
  readonly file: VolumeFile
  readonly ioThread: string | undefined
  readonly vcpus: number
}

/** Returns a disk of a guest. @throws UnsupportedGuest */
export function guestDiskOf(disk: VmiDisk, spec: VirtualMachineInstanceSpec, { file, ioThread, vcpus }: DiskParts): Disk {
  if (disk.lun !== undefined) throw new UnsupportedGuest(`disk "${disk.name}" must not be a lun: volumes here are files, not SCSI devices`)
  const target = disk.cdrom ?? disk.disk ?? {}
  const device = disk.cdrom === undefined ? 'disk' : 'cdrom'
  const { custom } = disk.blockSize ?? {}
  return {
    name: disk.name,
    path: file.path,
    format: file.format,
    ...(file.isHostDevice === undefined ? {} : { isHostDevice: file.isHostDevice }),
    ...(file.shared === undefined ? {} : { shared: file.shared }),
    readOnly: device === 'cdrom' || file.readOnly || target.readonly === true,
    ...(disk.shareable === true ? { shareable: true } : {}),
    device,
    bus: busOf(disk.name, target.bus, device),
    ...(disk.serial === undefined ? {} : { serial: disk.serial }),
    ...(disk.bootOrder === undefined ? {} : { bootOrder: disk.bootOrder }),
    ...(isCache(disk.cache) ? { cache: disk.cache } : {}),
    ...ioOf(disk),
    ...(custom?.logical === undefined || custom.physical === undefined
      ? {}
      : { blockSize: { logical: custom.logical, physical: custom.physical, ...discardOf(custom.discardGranularity) } }),
    ...(spec.domain.devices.blockMultiQueue === true ? { queues: vcpus } : {}),
    ...(ioThread === undefined ? {} : { ioThread }),
    onError: errorPolicies[disk.errorPolicy ?? 'stop'] ?? 'stop',
  }
}

/** KubeVirt's policies → QEMU's. */
const errorPolicies: Readonly<Record<string, NonNullable<Disk['onError']>>> = {
  stop: 'stop',
  report: 'report',
  ignore: 'ignore',
  enospace: 'enospc',
}

function discardOf(granularity: number | undefined): { discard?: number } {
  return granularity === undefined ? {} : { discard: granularity }
}

function ioOf({ name, io, cache }: VmiDisk): Pick<Disk, 'io'> {
  if (io !== 'native' && io !== 'threads') return {}
  if (io === 'native' && isCache(cache) && cache !== 'none') {
    throw new UnsupportedGuest(`disk "${name}" must have cache none for io native, and has ${cache}`)
  }
  return { io }
}

function busOf(name: string, bus: string | undefined, device: Disk['device']): Disk['bus'] {
  if (bus === undefined || bus === '') return 'sata'
  if (bus === 'usb' && device === 'cdrom') throw new UnsupportedGuest(`CD-ROM "${name}" must be on bus virtio, scsi or sata`)
  if (bus === 'virtio' || bus === 'scsi' || bus === 'sata' || bus === 'usb') return bus
  throw new UnsupportedGuest(`disk "${name}" must be on bus virtio, scsi, sata or usb, and asks for "${bus}"`)
}

function isCache(cache: string | undefined): cache is 'none' | 'writethrough' | 'writeback' {
  return cache === 'none' || cache === 'writethrough' || cache === 'writeback'
}
