import type { DevicePreferences } from '#api/instancetype/v1/virtual-machine-preference.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { PreferencePart } from '../apply/draft.ts'

/** Sets buses, caches and block sizes. A disk without device type becomes a plain disk. */
export const preferDisksInto: PreferencePart = (draft, preference) => {
  if (preference.devices === undefined) return
  for (const disk of draft.spec.domain.devices.disks ?? []) {
    if (disk.disk === undefined && disk.cdrom === undefined && disk.lun === undefined) disk.disk = {}
    preferDiskInto(disk, preference.devices)
  }
}

function preferDiskInto(disk: Disk, preferred: DevicePreferences): void {
  if (disk.disk !== undefined) return preferDiskTargetInto(disk, disk.disk, preferred)
  if (disk.cdrom !== undefined && preferred.preferredCdromBus !== undefined) disk.cdrom.bus ||= preferred.preferredCdromBus
  if (disk.lun !== undefined && preferred.preferredLunBus !== undefined) disk.lun.bus ||= preferred.preferredLunBus
}

function preferDiskTargetInto(disk: Disk, target: NonNullable<Disk['disk']>, preferred: DevicePreferences): void {
  if (preferred.preferredDiskBus !== undefined) target.bus ||= preferred.preferredDiskBus
  if (preferred.preferredDiskBlockSize !== undefined) disk.blockSize ??= structuredClone(preferred.preferredDiskBlockSize)
  if (preferred.preferredDiskCache !== undefined) disk.cache ||= preferred.preferredDiskCache
  if (preferred.preferredDiskIO !== undefined) disk.io ||= preferred.preferredDiskIO
  if (preferred.preferredDiskDedicatedIoThread !== undefined && target.bus === 'virtio') {
    disk.dedicatedIOThread ??= preferred.preferredDiskDedicatedIoThread
  }
}
