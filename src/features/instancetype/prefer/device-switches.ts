import type { PreferencePart } from '../apply/draft.ts'

/** Sets switches for all devices of a kind. `disableHotplug` always wins over the VM. */
export const preferDeviceSwitchesInto: PreferencePart = (draft, preference) => {
  const preferred = preference.devices
  if (preferred === undefined) return
  const { devices } = draft.spec.domain
  if (preferred.preferredDisableHotplug !== undefined) devices.disableHotplug = preferred.preferredDisableHotplug
  if (preferred.preferredUseVirtioTransitional !== undefined) devices.useVirtioTransitional ??= preferred.preferredUseVirtioTransitional
  if (preferred.preferredBlockMultiQueue !== undefined) devices.blockMultiQueue ??= preferred.preferredBlockMultiQueue
  if (preferred.preferredNetworkInterfaceMultiQueue !== undefined) {
    devices.networkInterfaceMultiqueue ??= preferred.preferredNetworkInterfaceMultiQueue
  }
}
