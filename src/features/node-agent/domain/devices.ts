import type { Devices } from '#api/kubevirt/v1/domain/devices.ts'
import type { Domain, Graphics, Input } from '#qemu/index.ts'
import { isOn } from './cpu.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/** Returns pointing devices and keyboards. */
export function inputsOf(devices: Devices): Input[] {
  return (devices.inputs ?? []).map(({ name, type, bus }) => ({
    name,
    type: type === 'keyboard' ? 'keyboard' : 'tablet',
    bus: bus === 'virtio' ? 'virtio' : 'usb',
  }))
}

/** KubeVirt's video types → QEMU's devices. */
const videoDevices: Readonly<Record<string, Graphics['device']>> = {
  vga: 'VGA',
  virtio: 'virtio-vga',
  bochs: 'bochs-display',
  cirrus: 'cirrus-vga',
  ramfb: 'ramfb',
}

/** Returns the graphics device. @throws UnsupportedGuest */
export function graphicsOf(devices: Devices, vncSocket: string): Pick<Domain, 'graphics'> {
  if (devices.autoattachGraphicsDevice === false) return {}
  const type = devices.video?.type || 'vga'
  const device = videoDevices[type]
  if (device !== undefined) return { graphics: { vncSocket, device } }
  throw new UnsupportedGuest(`video type "${type}" must be one of ${Object.keys(videoDevices).join(', ')}: devices.video.type`)
}

export function watchdogOf(devices: Devices): Pick<Domain, 'watchdog'> {
  const action = devices.watchdog?.i6300esb?.action
  if (devices.watchdog?.i6300esb === undefined) return {}
  return { watchdog: { model: 'i6300esb', action: action === 'poweroff' || action === 'shutdown' ? action : 'reset' } }
}

/** Returns the first panic device except Hyper-V's, which is a CPU feature. */
export function panicDeviceOf(devices: Devices): Pick<Domain, 'panicDevice'> {
  const device = (devices.panicDevices ?? []).find(({ model }) => model !== 'hyperv')
  return device === undefined ? {} : { panicDevice: device.model === 'isa' ? 'isa' : 'pci' }
}

/** @throws UnsupportedGuest */
export function soundOf({ sound }: Devices): Pick<Domain, 'sound'> {
  if (sound === undefined) return {}
  const model = sound.model || 'ich9'
  if (model === 'ich9' || model === 'ac97') return { sound: model }
  throw new UnsupportedGuest(`sound model "${model}" must be ich9 or ac97: devices.sound.model`)
}

/** Returns the TPM device: TPM-CRB for a persistent TPM and TPM-TIS otherwise, as in KubeVirt. */
export function tpmOf({ tpm }: Devices, socketPath: string): Pick<Domain, 'tpm'> {
  return isOn(tpm) ? { tpm: { model: tpm?.persistent === true ? 'tpm-crb' : 'tpm-tis', socketPath } } : {}
}
