import type { FirmwarePreferences } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { Bootloader } from '#api/kubevirt/v1/domain/firmware.ts'
import type { PreferencePart } from '../apply/draft.ts'

/** Sets the firmware. As in KubeVirt, the objects are created even when nothing applies. */
export const preferFirmwareInto: PreferencePart = (draft, preference) => {
  if (preference.firmware === undefined) return
  const firmware = (draft.spec.domain.firmware ??= {})
  const bootloader = (firmware.bootloader ??= {})
  preferBiosInto(bootloader, preference.firmware)
  preferEfiInto(bootloader, preference.firmware)
}

function preferBiosInto(bootloader: Bootloader, preferred: FirmwarePreferences): void {
  if (preferred.preferredUseBios === true && bootloader.bios === undefined && bootloader.efi === undefined) bootloader.bios = {}
  if (preferred.preferredUseBiosSerial !== undefined && bootloader.bios !== undefined) {
    bootloader.bios.useSerial ??= preferred.preferredUseBiosSerial
  }
}

/**
 * Sets EFI. Where `preferredEfi` applies, it replaces the two deprecated fields; a VM with its own
 * EFI still gets the preferred secure boot.
 */
function preferEfiInto(bootloader: Bootloader, preferred: FirmwarePreferences): void {
  if (preferred.preferredEfi !== undefined && bootloader.bios === undefined && bootloader.efi === undefined) {
    bootloader.efi = structuredClone(preferred.preferredEfi)
    return
  }
  if (preferred.preferredUseEfi === true && bootloader.bios === undefined && bootloader.efi === undefined) bootloader.efi = {}
  if (preferred.preferredUseSecureBoot !== undefined && bootloader.efi !== undefined) {
    bootloader.efi.secureBoot ??= preferred.preferredUseSecureBoot
  }
}
