import type { PreferencePart } from '../apply/draft.ts'

/** Sets autoattach flags. Also applied before devices are added, which depends on them. */
export const preferAutoattachInto: PreferencePart = (draft, preference) => {
  const preferred = preference.devices
  if (preferred === undefined) return
  const { devices } = draft.spec.domain
  if (preferred.preferredAutoattachGraphicsDevice !== undefined)
    devices.autoattachGraphicsDevice ??= preferred.preferredAutoattachGraphicsDevice
  if (preferred.preferredAutoattachMemBalloon !== undefined) devices.autoattachMemBalloon ??= preferred.preferredAutoattachMemBalloon
  if (preferred.preferredAutoattachPodInterface !== undefined) devices.autoattachPodInterface ??= preferred.preferredAutoattachPodInterface
  if (preferred.preferredAutoattachSerialConsole !== undefined)
    devices.autoattachSerialConsole ??= preferred.preferredAutoattachSerialConsole
  if (preferred.preferredAutoattachInputDevice !== undefined) devices.autoattachInputDevice ??= preferred.preferredAutoattachInputDevice
}
