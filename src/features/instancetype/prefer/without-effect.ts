import type { DevicePreferences } from '#api/instancetype/v1/virtual-machine-preference.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

type Devices = VirtualMachineInstanceSpec['domain']['devices']

/** Preferences for devices that the guest may lack: KubeVirt ignores them silently. */
const rows: readonly { field: keyof DevicePreferences; what: string; isThere: (devices: Devices) => boolean }[] = [
  { field: 'preferredSoundModel', what: 'sound device', isThere: ({ sound }) => sound !== undefined },
  { field: 'preferredVirtualGPUOptions', what: 'GPU', isThere: ({ gpus = [] }) => gpus.length > 0 },
  { field: 'preferredInputBus', what: 'input device', isThere: ({ inputs = [] }) => inputs.length > 0 },
  { field: 'preferredInputType', what: 'input device', isThere: ({ inputs = [] }) => inputs.length > 0 },
  {
    field: 'preferredDiskDedicatedIoThread',
    what: 'disk on the virtio bus',
    isThere: ({ disks = [] }) => disks.some(({ disk }) => disk?.bus === 'virtio'),
  },
]

/**
 * Returns a warning for each preference without effect on the expanded VMI `spec`. Buses of CD-ROMs
 * and LUNs are no surprise and not reported.
 */
export function warnOfPreferencesWithoutEffect(preference: VirtualMachinePreferenceSpec, spec: VirtualMachineInstanceSpec): string[] {
  const { devices, firmware } = spec.domain
  const warnings = rows
    .filter(({ field, isThere }) => preference.devices?.[field] !== undefined && preference.devices[field] !== false && !isThere(devices))
    .map(({ field, what }) => `preference spec.devices.${field} has no effect: the VirtualMachine has no ${what}`)
  const wantsSecureBoot = preference.firmware?.preferredUseSecureBoot === true && preference.firmware.preferredEfi === undefined
  if (wantsSecureBoot && firmware?.bootloader?.efi === undefined) {
    warnings.push('preference spec.firmware.preferredUseSecureBoot has no effect: the VirtualMachine does not boot by EFI')
  }
  if (preference.firmware?.preferredUseBiosSerial === true && firmware?.bootloader?.bios === undefined) {
    warnings.push('preference spec.firmware.preferredUseBiosSerial has no effect: the VirtualMachine does not say that it boots by BIOS')
  }
  return warnings
}
