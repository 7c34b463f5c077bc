import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { Draft, PreferencePart } from '../apply/draft.ts'
import { preferAutoattachInto } from './autoattach.ts'
import { preferClockInto } from './clock.ts'
import { preferCpuFeaturesInto } from './cpu.ts'
import { preferDeviceSwitchesInto } from './device-switches.ts'
import { preferDisksInto } from './disks.ts'
import { preferFeaturesInto } from './features.ts'
import { preferFirmwareInto } from './firmware.ts'
import { preferInputsInto } from './inputs.ts'
import { preferInterfacesInto } from './interfaces.ts'
import { preferLaunchSecurityInto } from './launch-security.ts'
import { preferMachineInto } from './machine.ts'
import { preferPanicDevicesInto } from './panic-devices.ts'
import { preferPlacementInto } from './placement.ts'
import { preferSingleDevicesInto } from './single-devices.ts'
import { preferVirtualGpuOptionsInto } from './virtual-gpus.ts'

const parts: readonly PreferencePart[] = [
  preferCpuFeaturesInto,
  preferAutoattachInto,
  preferDeviceSwitchesInto,
  preferSingleDevicesInto,
  preferDisksInto,
  preferInterfacesInto,
  preferInputsInto,
  preferPanicDevicesInto,
  preferVirtualGpuOptionsInto,
  preferFeaturesInto,
  preferFirmwareInto,
  preferMachineInto,
  preferClockInto,
  preferPlacementInto,
  preferLaunchSecurityInto,
]

/** Applies all parts of a preference to unset fields. Never conflicts. */
export function applyPreferenceInto(draft: Draft, preference: VirtualMachinePreferenceSpec): void {
  for (const part of parts) part(draft, preference)
}
