import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isChangeableDrive, isPluggedDisk } from '#features/vmi/index.ts'

/** Returns the disks of a VMI that a guest starts with. */
export function launchedDisks(spec: VirtualMachineInstanceSpec): Disk[] {
  return (spec.domain.devices.disks ?? []).filter((disk) => !isPluggedDisk(disk, spec) && !isChangeableDrive(disk, spec))
}
