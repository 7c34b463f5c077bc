import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Firmware, Kernel, Smbios } from '#qemu/index.ts'
import type { GuestFiles } from './guest-files.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'
import type { Host } from '../node/host.ts'

/** Resolves an alias or a versioned machine type. @throws UnsupportedGuest */
export function machineTypeOf(wanted: string, host: Pick<Host, 'machineAliases' | 'machineTypes'>): string {
  const type = host.machineAliases[wanted] ?? wanted
  if (!host.machineTypes.includes(type)) throw new UnsupportedGuest(`machine type "${wanted}" is not known to the QEMU of this node`)
  if (type.startsWith('pc-q35-') || type.startsWith('pc-i440fx-')) return type
  throw new UnsupportedGuest(`machine type "${wanted}" must be one of q35 or pc: guests here need PCI slots and ACPI`)
}

/** Reports whether secure boot is on, which is KubeVirt's default for EFI. */
export function wantsSecureBoot(vmi: VirtualMachineInstance): boolean {
  const efi = vmi.spec.domain.firmware?.bootloader?.efi
  return efi !== undefined && efi.secureBoot !== false
}

/** Returns BIOS, or UEFI with the prepared files. @throws UnsupportedGuest */
export function firmwareOf(vmi: VirtualMachineInstance, files: GuestFiles): Firmware {
  const { bootloader } = vmi.spec.domain.firmware ?? {}
  if (bootloader?.efi === undefined) return { kind: 'bios', useSerial: bootloader?.bios?.useSerial === true }
  if (files.firmware === undefined) throw new UnsupportedGuest('there is no UEFI firmware for the guest')
  return { kind: 'efi', ...files.firmware, secureBoot: wantsSecureBoot(vmi) }
}

/** Returns the kernel for direct boot, if any. */
export function kernelOf(vmi: VirtualMachineInstance, files: GuestFiles): Kernel | undefined {
  if (files.kernel === undefined) return undefined
  return { ...files.kernel, commandLine: vmi.spec.domain.firmware?.kernelBoot?.kernelArgs ?? '' }
}

/** Returns the SMBIOS fields. */
export function smbiosOf(vmi: VirtualMachineInstance): Smbios {
  const { firmware, chassis = {} } = vmi.spec.domain
  const told = Object.entries(chassis).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
  return {
    system: { manufacturer: 'KubeVirt', product: 'None', ...(firmware?.serial === undefined ? {} : { serial: firmware.serial }) },
    chassis: Object.fromEntries(told),
  }
}
