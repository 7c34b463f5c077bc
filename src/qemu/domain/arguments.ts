import { cpuArguments } from './cpu.ts'
import { diskArguments } from './disk.ts'
import type { Domain, Input } from './domain.ts'
import { firmwareArguments } from './firmware.ts'
import { interfaceArguments } from './interface.ts'
import { machineArguments } from './machine.ts'
import { createPciSlots, type PciSlots } from './pci.ts'

/**
 * The command line of a domain, without the binary. Pure and stable: the same domain gives the same arguments, and the order of
 * PCI devices is the order here. Guests never end the process by themselves (`shutdown=pause`): the agent reads why they stopped first.
 */
export function buildArguments(domain: Domain): string[] {
  const slots = createPciSlots()
  return [
    '-name',
    `guest=${domain.name.replaceAll(',', ',,')}`,
    '-no-user-config',
    '-nodefaults',
    ...(domain.startPaused ? ['-S'] : []),
    ...machineArguments(domain),
    ...cpuArguments(domain.cpu),
    ...firmwareArguments(domain),
    ...monitorArguments(domain.monitors),
    '-action',
    'shutdown=pause,panic=pause',
    ...(domain.graphics === undefined
      ? ['-display', 'none', '-vga', 'none']
      : ['-vnc', `unix:${domain.graphics.vncSocket}`, '-device', `${domain.graphics.device},id=video0,${slots.next()}`]),
    ...serialArguments(domain),
    ...usbArguments(domain, slots),
    ...diskArguments(domain.disks, slots),
    ...interfaceArguments(domain.interfaces, slots),
    ...agentArguments(domain, slots),
    ...(domain.balloon ? ['-device', `virtio-balloon-pci,id=balloon0,${slots.next()},free-page-reporting=on`] : []),
    ...(domain.rng
      ? ['-object', 'rng-random,id=rng0,filename=/dev/urandom', '-device', `virtio-rng-pci,id=rngdev0,rng=rng0,${slots.next()}`]
      : []),
    ...(domain.watchdog === undefined
      ? []
      : ['-device', `i6300esb,id=watchdog0,${slots.next()}`, '-action', `watchdog=${domain.watchdog.action}`]),
    ...(domain.panicDevice ? ['-device', `pvpanic-pci,id=panic0,${slots.next()}`] : []),
    '-sandbox',
    'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
    '-msg',
    'timestamp=on',
  ]
}

function monitorArguments(sockets: readonly string[]): string[] {
  return sockets.flatMap((path, index) => [
    '-chardev',
    `socket,id=monitor${index},path=${path},server=on,wait=off`,
    '-mon',
    `chardev=monitor${index},mode=control`,
  ])
}

function serialArguments(domain: Domain): string[] {
  const serial = domain.serial
  if (serial === undefined) return []
  return [
    '-chardev',
    `socket,id=serial0,path=${serial.socketPath},server=on,wait=off,logfile=${serial.logPath},logappend=on`,
    '-device',
    'isa-serial,id=serialdev0,chardev=serial0,index=0',
  ]
}

function usbArguments(domain: Domain, slots: PciSlots): string[] {
  const wanted = domain.inputs.some((input) => input.bus === 'usb') || domain.disks.some((disk) => disk.bus === 'usb')
  return [
    ...(wanted ? ['-device', `qemu-xhci,id=usb0,${slots.next()}`] : []),
    ...domain.inputs.flatMap((input) => ['-device', inputDevice(input, slots)]),
  ]
}

function inputDevice(input: Input, slots: PciSlots): string {
  const kind = input.type === 'tablet' ? 'tablet' : 'kbd'
  if (input.bus === 'usb') return `usb-${kind},id=input-${input.name},bus=usb0.0`
  return `virtio-${input.type}-pci,id=input-${input.name},${slots.next()}`
}

function agentArguments(domain: Domain, slots: PciSlots): string[] {
  if (domain.guestAgentSocket === undefined) return []
  return [
    '-device',
    `virtio-serial-pci,id=virtioserial0,${slots.next()}`,
    '-chardev',
    `socket,id=agent0,path=${domain.guestAgentSocket},server=on,wait=off`,
    '-device',
    'virtserialport,bus=virtioserial0.0,chardev=agent0,id=agentport0,name=org.qemu.guest_agent.0',
  ]
}
