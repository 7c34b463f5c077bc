import type { PreferencePart } from '../apply/draft.ts'

/**
 * A panic device of the preferred model: a new one when there is none, else the model of those that
 * have none.
 */
export const preferPanicDevicesInto: PreferencePart = (draft, preference) => {
  const model = preference.devices?.preferredPanicDeviceModel
  if (model === undefined) return
  const { devices } = draft.spec.domain
  const present = devices.panicDevices ?? []
  devices.panicDevices = present.length === 0 ? [{ model }] : present.map((device) => ({ ...device, model: device.model ?? model }))
}
