import { cpuArguments } from './cpu.ts'
import {
  agentArguments,
  graphicsArguments,
  monitorArguments,
  panicArguments,
  serialArguments,
  soundArguments,
  tpmArguments,
  usbArguments,
} from './devices.ts'
import { diskArguments } from './disk.ts'
import type { Domain } from './domain.ts'
import { firmwareArguments } from './firmware.ts'
import { hotplugRoomArguments } from './hotplug-room.ts'
import { interfaceArguments } from './interface.ts'
import { machineArguments } from './machine.ts'
import { createPciSlots } from './pci.ts'
import { virtioDevice } from './virtio.ts'

/**
 * The command line of a domain, without the binary. Pure and stable: the same domain gives the same
 * arguments, and the order of PCI devices is the order here. Guests never end the process by
 * themselves (`shutdown=pause`): the agent reads why they stopped first.
 * @throws TooManyDevices
 */
export function buildArguments(domain: Domain): string[] {
  const slots = createPciSlots(domain.machine.type)
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
    ...graphicsArguments(domain.graphics, slots),
    ...serialArguments(domain.serial),
    ...usbArguments(domain, slots),
    ...diskArguments(domain, slots),
    ...interfaceArguments(domain, slots),
    ...agentArguments(domain, slots),
    ...(domain.balloon ? ['-device', `${virtioDevice('balloon', domain)},id=balloon0,${slots.next()},free-page-reporting=on`] : []),
    ...(domain.rng
      ? [
          '-object',
          'rng-random,id=rng0,filename=/dev/urandom',
          '-device',
          `${virtioDevice('rng', domain)},id=rngdev0,rng=rng0,${slots.next()}`,
        ]
      : []),
    ...(domain.watchdog === undefined ? [] : ['-device', `i6300esb,id=watchdog0,${slots.next()}`, '-action', 'watchdog=pause']),
    ...panicArguments(domain.panicDevice, slots),
    ...tpmArguments(domain.tpm),
    ...soundArguments(domain.sound, slots),
    ...hotplugRoomArguments(domain, slots),
    '-sandbox',
    'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
    '-msg',
    'timestamp=on',
  ]
}

/** The device models of a command line, by QEMU's names, each once. */
export function deviceModels(args: readonly string[]): string[] {
  const models = args.flatMap((word, index) => (args[index - 1] === '-device' ? [word.split(',')[0] ?? ''] : []))
  return [...new Set(models)]
}
