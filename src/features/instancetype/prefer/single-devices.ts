import type { PreferencePart } from '../apply/draft.ts'

/** Sets devices that a guest has at most once: sound, RNG, TPM, video. */
export const preferSingleDevicesInto: PreferencePart = (draft, preference) => {
  const preferred = preference.devices
  if (preferred === undefined) return
  const { devices } = draft.spec.domain
  if (preferred.preferredSoundModel !== undefined && devices.sound !== undefined && (devices.sound.model ?? '') === '') {
    devices.sound.model = preferred.preferredSoundModel
  }
  if (preferred.preferredRng !== undefined) devices.rng ??= structuredClone(preferred.preferredRng)
  // `tpm: {enabled: false}` is a decision of the VM.
  if (preferred.preferredTPM !== undefined) devices.tpm ??= structuredClone(preferred.preferredTPM)
  if (preferred.preferredVideoType !== undefined && (devices.video?.type ?? '') === '') {
    devices.video = { ...devices.video, type: preferred.preferredVideoType }
  }
}
