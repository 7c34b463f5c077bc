import type { Pod } from '#api/core/v1/pod.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { diskVolume } from '../launcher/launcher-volumes.ts'

/**
 * Reports whether a volume is plugged and unplugged while its guest runs: its disk has to be on a
 * bus that QEMU can plug, or to be a disc. On others it stays as the guest was started. The volume
 * of a dump has no disk: its guest never sees it.
 */
export function isHotpluggable(
  { name, persistentVolumeClaim, dataVolume, memoryDump }: Volume,
  disks: readonly Disk[] | undefined,
): boolean {
  if (memoryDump !== undefined) return true
  if ((persistentVolumeClaim ?? dataVolume)?.hotpluggable !== true) return false
  const shown = disks?.find((disk) => disk.name === name)
  return shown?.cdrom === undefined ? pluggableBuses.includes(shown?.disk?.bus) : true
}

const pluggableBuses: readonly (string | undefined)[] = ['virtio', 'scsi']

/**
 * Returns the volumes that are attached to a guest beside its launcher pod. Pods of earlier
 * releases have mounted hotpluggable volumes: those stay as they are.
 */
export function hotplugVolumes({ volumes = [], domain }: VirtualMachineInstanceSpec, launcher: Pod): Volume[] {
  const mounted = new Set((launcher.spec.volumes ?? []).map(({ name }) => name))
  return volumes.filter((volume) => isHotpluggable(volume, domain.devices.disks) && !mounted.has(diskVolume(volume.name)))
}

/**
 * Reports whether a disk is plugged in, and not there from the start of its guest: a CD-ROM drive
 * is there, and its medium changes.
 */
export function isPluggedDisk({ name, cdrom }: Disk, { volumes = [], domain }: VirtualMachineInstanceSpec): boolean {
  return cdrom === undefined && volumes.some((volume) => volume.name === name && isHotpluggable(volume, domain.devices.disks))
}

/** Reports whether the medium of a CD-ROM drive changes while its guest runs: it may have none. */
export function isChangeableDrive({ name, cdrom }: Disk, { volumes = [], domain }: VirtualMachineInstanceSpec): boolean {
  const volume = volumes.find((one) => one.name === name)
  return cdrom !== undefined && (volume === undefined || isHotpluggable(volume, domain.devices.disks))
}
