import type { PreferencePart } from '../apply/draft.ts'

/** Sets bus and type of input devices. */
export const preferInputsInto: PreferencePart = (draft, preference) => {
  const preferred = preference.devices
  if (preferred === undefined) return
  for (const input of draft.spec.domain.devices.inputs ?? []) {
    if (preferred.preferredInputBus !== undefined) input.bus ||= preferred.preferredInputBus
    if (preferred.preferredInputType !== undefined) input.type ||= preferred.preferredInputType
  }
}
