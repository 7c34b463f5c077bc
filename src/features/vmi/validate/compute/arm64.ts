import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { unsupportedValue, when } from '../cause.ts'

/** Validates what machines of arm64 have: EFI alone, the CPU of the host, and no SATA. */
export function validateArm64({ architecture, domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  if (architecture !== 'arm64') return []
  const path = `${base}.domain`
  return [
    ...when(
      domain.firmware?.bootloader?.bios !== undefined,
      unsupportedValue(`${path}.firmware.bootloader.bios`, 'Arm64 does not support bios boot, please change to uefi boot'),
    ),
    ...when(
      !['', 'host-passthrough'].includes(domain.cpu?.model ?? ''),
      unsupportedValue(`${path}.cpu.model`, 'currently, host-passthrough is the only model supported on Arm64'),
    ),
    ...(domain.devices.disks ?? []).flatMap((disk, index) =>
      (['disk', 'cdrom', 'lun'] as const).flatMap((kind) =>
        when(
          !['', 'virtio', 'scsi'].includes(disk[kind]?.bus ?? ''),
          unsupportedValue(
            `${path}.devices.disks[${index}].${kind}.bus`,
            'Arm64 not support this disk bus type, please use virtio or scsi',
          ),
        ),
      ),
    ),
  ]
}
