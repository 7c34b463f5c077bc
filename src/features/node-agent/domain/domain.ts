import { join } from 'node:path'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { stableUuid } from '#features/cluster-config/index.ts'
import type { LauncherPaths } from '#features/launcher/index.ts'
import type { Domain } from '#qemu/index.ts'
import { guestClockOf } from './clock.ts'
import { guestCpuOf, isOn } from './cpu.ts'
import { graphicsOf, inputsOf, panicDeviceOf, soundOf, tpmOf, watchdogOf } from './devices.ts'
import { guestDisksOf, guestDrivesOf } from './disks.ts'
import type { GuestFiles } from './guest-files.ts'
import { firmwareOf, kernelOf, machineTypeOf, smbiosOf, wantsSecureBoot } from './firmware.ts'
import { guestInterfacesOf, type TapOf } from './interfaces.ts'
import { ioThreadsOf } from './io-threads.ts'
import { checkLimits } from './limits.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { hotplugPortsOf, memoryHeadroomOf, withinSlots } from './headroom.ts'

/**
 * Returns the paths of the guest's unix sockets in a directory: that of the launcher's view for
 * QEMU, and `runDirectory` for the node agent.
 */
export function guestSockets(
  directory: string,
): Record<'monitor' | 'spareMonitor' | 'hardwareMonitor' | 'serial' | 'vnc' | 'agent' | 'tpm', string> {
  const at = (name: string): string => join(directory, name)
  return {
    monitor: at('agent.qmp'),
    spareMonitor: at('tools.qmp'),
    hardwareMonitor: at('look.qmp'),
    serial: at('serial'),
    vnc: at('vnc'),
    agent: at('guest-agent'),
    tpm: at('tpm'),
  }
}

/** USB devices that clients may lend to a guest at a time, as in KubeVirt. */
const usbRedirectorCount = 4

/** Returns the unix sockets for USB devices of clients in a directory of {@link guestSockets}. */
export function usbRedirectorSockets(directory: string): string[] {
  return Array.from({ length: usbRedirectorCount }, (_, index) => join(directory, `usbredir-${index}`))
}

/** Files, paths and host of one launch. */
export interface DomainOptions {
  readonly files: GuestFiles
  readonly paths: LauncherPaths
  readonly host: Host
  /** Base of the guest's clock. */
  readonly nowMs: number
  /** Undefined for a launcher without a network of its own. */
  readonly tapOf?: TapOf | undefined
  /** False if the guest of the VM has run, without ports for hotplug. Default: true. */
  readonly hadPorts?: boolean
}

/**
 * Converts a VMI to a QEMU domain. Pure. The result is recorded at launch and never computed again
 * for the same guest. @throws UnsupportedGuest
 */
export function guestDomainOf(vmi: VirtualMachineInstance, { files, paths, host, nowMs, tapOf, hadPorts = true }: DomainOptions): Domain {
  const { spec } = vmi
  const { domain } = spec
  const { devices } = domain
  checkLimits(spec)
  const sockets = guestSockets(paths.view.run)
  const uuid = domain.firmware?.uuid || stableUuid(vmi.metadata.uid ?? '')
  if (!isUuid(uuid)) throw new UnsupportedGuest(`"${uuid}" is no UUID: spec.domain.firmware.uuid`)
  const kernel = kernelOf(vmi, files)
  const timer = domain.clock?.timer
  const wish = { cpu: domain.cpu ?? {}, features: domain.features ?? {}, ...(timer === undefined ? {} : { timer }) }
  const cpu = guestCpuOf(wish, host)
  const vcpus = cpu.sockets * cpu.cores * cpu.threads
  const ioThreads = ioThreadsOf(spec, vcpus)
  const machineType = machineTypeOf(domain.machine?.type ?? '', host)
  const drives = guestDrivesOf(spec)
  const hotplugPorts = hotplugPortsOf(spec, machineType, hadPorts)
  return withinSlots({
    name: `${vmi.metadata.namespace}_${vmi.metadata.name}`,
    uuid,
    machine: {
      type: machineType,
      accelerator: host.accelerator,
      acpi: domain.features?.acpi?.enabled !== false,
      // Without SMM a guest could overwrite the secure boot variables.
      smm: isOn(domain.features?.smm) || wantsSecureBoot(vmi),
      virtioTransitional: devices.useVirtioTransitional === true,
    },
    cpu,
    memory: memoryOf(vmi),
    firmware: firmwareOf(vmi, files),
    ...(kernel === undefined ? {} : { kernel }),
    clock: guestClockOf(domain.clock, host, nowMs),
    ioThreads: ioThreads.names,
    disks: guestDisksOf(spec, { files: files.volumes, ioThreads, vcpus }),
    ...(drives.length === 0 ? {} : { drives }),
    interfaces: guestInterfacesOf(vmi, { uuid, vcpus, hasPorts: hotplugPorts > 0 }, tapOf),
    inputs: inputsOf(devices),
    ...(devices.autoattachSerialConsole === false
      ? {}
      : { serial: { socketPath: sockets.serial, logPath: join(paths.view.private, 'serial.log') } }),
    ...graphicsOf(devices, sockets.vnc),
    guestAgentSocket: sockets.agent,
    ...(devices.clientPassthrough === undefined ? {} : { usbRedirectors: usbRedirectorSockets(paths.view.run) }),
    balloon: devices.autoattachMemBalloon !== false,
    rng: devices.rng !== undefined,
    ...watchdogOf(devices),
    ...panicDeviceOf(devices),
    ...tpmOf(devices, sockets.tpm),
    ...soundOf(devices),
    ...(hotplugPorts === 0 ? {} : { hotplugPorts }),
    smbios: smbiosOf(vmi),
    monitors: [sockets.monitor, sockets.spareMonitor, sockets.hardwareMonitor],
    startPaused: true,
  })
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function memoryOf(vmi: VirtualMachineInstance): Domain['memory'] {
  const { memory, resources } = vmi.spec.domain
  if (memory?.guest === undefined) throw new UnsupportedGuest('the guest must have memory: spec.domain.memory.guest is not set')
  const bytes = Number(quantityToBytes(parseQuantity(memory.guest)))
  const page = memory.hugepages?.pageSize
  const { maxBytes } = memoryHeadroomOf(vmi.spec)
  return {
    bytes,
    ...(page === undefined ? {} : { hugepageBytes: Number(quantityToBytes(parseQuantity(page))) }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(resources?.limits?.['memory'] === undefined ? {} : { isLimited: true }),
  }
}
