import type { Domain, Graphics, Input, SerialConsole, Tpm } from './domain.ts'
import { option } from './option.ts'
import type { PciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/** QMP monitors. */
export function monitorArguments(sockets: readonly string[]): string[] {
  return sockets.flatMap((path, index) => [
    '-chardev',
    `socket,id=monitor${index},${option('path', path)},server=on,wait=off`,
    '-mon',
    `chardev=monitor${index},mode=control`,
  ])
}

/** A screen on a VNC socket, or none. */
export function graphicsArguments(graphics: Graphics | undefined, slots: PciSlots): string[] {
  if (graphics === undefined) return ['-display', 'none', '-vga', 'none']
  const { device, vncSocket } = graphics
  // The frame buffer in RAM is no PCI device.
  return [
    '-vnc',
    `unix:${vncSocket.replaceAll(',', ',,')}`,
    '-device',
    device === 'ramfb' ? 'ramfb,id=video0' : `${device},id=video0,${slots.next()}`,
  ]
}

/** The first serial port. */
export function serialArguments(serial: SerialConsole | undefined): string[] {
  if (serial === undefined) return []
  return [
    '-chardev',
    `socket,id=serial0,${option('path', serial.socketPath)},server=on,wait=off,${option('logfile', serial.logPath)},logappend=on`,
    '-device',
    'isa-serial,id=serialdev0,chardev=serial0,index=0',
  ]
}

/** Input devices, devices of clients, and the USB controller if anything needs one. */
export function usbArguments(domain: Domain, slots: PciSlots): string[] {
  const { inputs, disks, usbRedirectors = [] } = domain
  const wanted = usbRedirectors.length > 0 || [...inputs, ...disks].some(({ bus }) => bus === 'usb')
  // The four ports that a controller has by default are too few with them.
  const ports = usbRedirectors.length > 0 ? 'p2=15,p3=15,' : ''
  return [
    ...(wanted ? ['-device', `qemu-xhci,id=usb0,${ports}${slots.next()}`] : []),
    ...usbRedirectors.flatMap((path, index) => [
      '-chardev',
      `socket,id=usbredir${index},${option('path', path)},server=on,wait=off`,
      '-device',
      `usb-redir,id=usbredirdev${index},chardev=usbredir${index},bus=usb0.0`,
    ]),
    ...domain.inputs.flatMap((input, index) => ['-device', inputDevice(input, index, slots)]),
  ]
}

/** By number: names of input devices follow no rules, and QEMU's do. */
function inputDevice(input: Input, index: number, slots: PciSlots): string {
  const kind = input.type === 'tablet' ? 'tablet' : 'kbd'
  if (input.bus === 'usb') return `usb-${kind},id=input${index},bus=usb0.0`
  return `virtio-${input.type}-pci,id=input${index},${slots.next()}`
}

/** The port of the guest agent. */
export function agentArguments(domain: Domain, slots: PciSlots): string[] {
  if (domain.guestAgentSocket === undefined) return []
  return [
    '-device',
    `${virtioDevice('serial', domain)},id=virtioserial0,${slots.next()}`,
    '-chardev',
    `socket,id=agent0,${option('path', domain.guestAgentSocket)},server=on,wait=off`,
    '-device',
    'virtserialport,bus=virtioserial0.0,chardev=agent0,id=agentport0,name=org.qemu.guest_agent.0',
  ]
}

/** The device through which the guest reports a panic. */
export function panicArguments(bus: Domain['panicDevice'], slots: PciSlots): string[] {
  if (bus === undefined) return []
  // The set of supported events grows with each release of QEMU, independent of the machine
  // version.
  return ['-device', `${bus === 'isa' ? 'pvpanic,id=panic0' : `pvpanic-pci,id=panic0,${slots.next()}`},events=3`]
}

/** A TPM, emulated by the process behind the socket. */
export function tpmArguments(tpm: Tpm | undefined): string[] {
  if (tpm === undefined) return []
  return [
    '-chardev',
    `socket,id=tpmsocket0,${option('path', tpm.socketPath)}`,
    '-tpmdev',
    'emulator,id=tpm0,chardev=tpmsocket0',
    '-device',
    `${tpm.model},id=tpmdev0,tpmdev=tpm0`,
  ]
}

/** A sound card without an audio backend. */
export function soundArguments(model: Domain['sound'], slots: PciSlots): string[] {
  if (model === undefined) return []
  const audio = ['-audiodev', 'none,id=audio0']
  if (model === 'ac97') return [...audio, '-device', `AC97,id=sound0,audiodev=audio0,${slots.next()}`]
  return [...audio, '-device', `ich9-intel-hda,id=sound0,${slots.next()}`, '-device', 'hda-duplex,id=codec0,bus=sound0.0,audiodev=audio0']
}
