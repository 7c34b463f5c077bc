import type { Disk as VmiDisk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Disk } from '#qemu/index.ts'
import type { IoThreads } from './io-threads.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** File behind a volume. */
export interface VolumeFile {
  readonly path: string
  readonly format: 'raw' | 'qcow2'
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

/** Returns the disks in the order of the VMI. @throws UnsupportedGuest */
export function guestDisksOf(spec: VirtualMachineInstanceSpec, surroundings: DiskSurroundings): Disk[] {
  return (spec.domain.devices.disks ?? []).map((disk) => guestDiskOf(disk, spec, surroundings))
}

function guestDiskOf(disk: VmiDisk, spec: VirtualMachineInstanceSpec, { files, ioThreads, vcpus }: DiskSurroundings): Disk {
  const file = files.get(disk.name)
  if (file === undefined) throw new UnsupportedGuest(`disk "${disk.name}" has no volume`)
  if (disk.lun !== undefined) throw new UnsupportedGuest(`disk "${disk.name}" must not be a lun: volumes here are files, not SCSI devices`)
  const target = disk.cdrom ?? disk.disk ?? {}
  const device = disk.cdrom === undefined ? 'disk' : 'cdrom'
  const { custom } = disk.blockSize ?? {}
  const ioThread = ioThreads.byDisk.get(disk.name)
  return {
    name: disk.name,
    path: file.path,
    format: file.format,
    ...(file.isHostDevice === undefined ? {} : { isHostDevice: file.isHostDevice }),
    ...(file.shared === undefined ? {} : { shared: file.shared }),
    readOnly: device === 'cdrom' || file.readOnly || target.readonly === true,
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
