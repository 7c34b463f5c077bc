import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Sets the firmware of architectures that have only EFI, without secure boot. */
export function completeFirmwareInto(spec: VirtualMachineInstanceSpec): void {
  if (spec.architecture !== 'arm64') return
  const firmware = (spec.domain.firmware ??= {})
  const bootloader = (firmware.bootloader ??= { efi: {} })
  if (bootloader.efi !== undefined) bootloader.efi.secureBoot ??= false
}
