import type { PreferencePart } from '../apply/draft.ts'

/** Adds a panic device of the preferred model, or sets the model of existing ones without model. */
export const preferPanicDevicesInto: PreferencePart = (draft, preference) => {
  const model = preference.devices?.preferredPanicDeviceModel
  if (model === undefined) return
  const { devices } = draft.spec.domain
  const present = devices.panicDevices ?? []
  devices.panicDevices = present.length === 0 ? [{ model }] : present.map((device) => ({ ...device, model: device.model ?? model }))
}
