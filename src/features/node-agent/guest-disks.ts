import type { Disk as VmiDisk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Disk } from '#qemu/index.ts'
import { UnsupportedGuest } from './host.ts'

/** The file that holds a volume's bytes. */
export interface VolumeFile {
  readonly path: string
  readonly format: 'raw' | 'qcow2'
  /** Whether the file belongs to somebody else and must not be written. */
  readonly readOnly: boolean
}

/** The disks of a guest, in the order of the VMI. @throws UnsupportedGuest */
export function guestDisksOf(spec: VirtualMachineInstanceSpec, files: ReadonlyMap<string, VolumeFile>): Disk[] {
  return (spec.domain.devices.disks ?? []).map((disk) => guestDiskOf(disk, files.get(disk.name), spec))
}

function guestDiskOf(disk: VmiDisk, file: VolumeFile | undefined, spec: VirtualMachineInstanceSpec): Disk {
  if (file === undefined) throw new UnsupportedGuest(`disk "${disk.name}" has no volume`)
  const target = disk.cdrom ?? disk.lun ?? disk.disk ?? {}
  const device = disk.cdrom !== undefined ? 'cdrom' : disk.lun !== undefined ? 'lun' : 'disk'
  const { custom } = disk.blockSize ?? {}
  return {
    name: disk.name,
    path: file.path,
    format: file.format,
    readOnly: device === 'cdrom' || file.readOnly || target.readonly === true,
    device,
    bus: busOf(disk.name, target.bus),
    ...(disk.serial === undefined ? {} : { serial: disk.serial }),
    ...(disk.bootOrder === undefined ? {} : { bootOrder: disk.bootOrder }),
    ...(isCache(disk.cache) ? { cache: disk.cache } : {}),
    ...(disk.io === 'native' || disk.io === 'threads' ? { io: disk.io } : {}),
    ...(custom?.logical === undefined || custom.physical === undefined
      ? {}
      : { blockSize: { logical: custom.logical, physical: custom.physical } }),
    ...(spec.domain.devices.blockMultiQueue === true ? { queues: vcpus(spec) } : {}),
    ...(disk.dedicatedIOThread === true || spec.domain.ioThreadsPolicy !== undefined ? { iothread: true } : {}),
  }
}

function busOf(name: string, bus: string | undefined): Disk['bus'] {
  if (bus === undefined || bus === '') return 'sata'
  if (bus === 'virtio' || bus === 'scsi' || bus === 'sata' || bus === 'usb') return bus
  throw new UnsupportedGuest(`disk "${name}" must be on bus virtio, scsi, sata or usb, and asks for "${bus}"`)
}

function isCache(cache: string | undefined): cache is 'none' | 'writethrough' | 'writeback' {
  return cache === 'none' || cache === 'writethrough' || cache === 'writeback'
}

function vcpus(spec: VirtualMachineInstanceSpec): number {
  const { sockets, cores, threads } = spec.domain.cpu ?? {}
  return (sockets || 1) * (cores || 1) * (threads || 1)
}
