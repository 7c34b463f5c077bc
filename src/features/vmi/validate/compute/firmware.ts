import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, requiredValue, when } from '../cause.ts'
import { validateContainerPath } from '../storage/container-path.ts'

/** Validates bootloader, kernel and ACPI tables. */
export function validateFirmware(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  return [...validateAcpiTables(spec, base), ...validateBootloader(spec, base), ...validateKernelBoot(spec, base)]
}

function validateBootloader({ domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { firmware, features, launchSecurity } = domain
  const { bios, efi } = firmware?.bootloader ?? {}
  const field = `${base}.domain.firmware.bootloader`
  // The firmware of TDX holds the keys itself.
  const isSecure = efi !== undefined && efi.secureBoot !== false && launchSecurity?.tdx === undefined
  const hasSmm = features?.smm !== undefined && features.smm.enabled !== false
  return [
    ...when(
      bios !== undefined && efi !== undefined,
      invalidValue(field, `${field} has both EFI and BIOS configured, but they are mutually exclusive.`),
    ),
    ...when(
      isSecure && !hasSmm,
      invalidValue(`${base}.domain`, `${base}.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.`),
    ),
  ]
}

function validateKernelBoot({ domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const boot = domain.firmware?.kernelBoot
  if (boot === undefined) return []
  const path = `${base}.domain.firmware.kernelBoot`
  const { container, kernelArgs = '' } = boot
  if (container === undefined) {
    return when(kernelArgs !== '', invalidValue(`${path}.kernelArgs`, 'kernel arguments cannot be provided without an external kernel'))
  }
  const at = `${path}.container`
  const { image, kernelPath = '', initrdPath = '' } = container
  return [
    ...when(image === '', requiredValue(`${at}.image`, `${at} must be defined with an image`)),
    ...when(
      kernelPath === '' && initrdPath === '',
      requiredValue(at, `${at} must be defined with at least one of the following: kernelPath, initrdPath`),
    ),
    ...(kernelPath === '' ? [] : validateContainerPath(kernelPath, `${at}.kernelPath`)),
    ...(initrdPath === '' ? [] : validateContainerPath(initrdPath, `${at}.initrdPath`)),
  ]
}

/** Validates that the volumes of ACPI tables exist and are secrets. */
function validateAcpiTables({ domain, volumes = [] }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const tables = domain.firmware?.acpi
  if (tables === undefined) return []
  const path = `${base}.domain.firmware.acpi`
  const { slicNameRef = '', msdmNameRef = '' } = tables
  if (slicNameRef === '' && msdmNameRef === '') return [invalidValue(path, 'ACPI was set but no SLIC nor MSDM volume reference was set')]
  // KubeVirt names the field so in its message.
  const name = `${base}.acpi`
  return Object.entries({ slicNameRef, msdmNameRef }).flatMap(([key, wanted]) => {
    if (wanted === '') return []
    const volume = volumes.find((one) => one.name === wanted)
    if (volume === undefined) return [invalidValue(`${path}.${key}`, `${name} does not have a matching Volume.`)]
    return when(volume.secret === undefined, invalidValue(`${path}.${key}`, `${name} refers to Volume of unsupported type.`))
  })
}
