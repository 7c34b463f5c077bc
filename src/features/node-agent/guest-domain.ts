import { join } from 'node:path'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Devices } from '#api/kubevirt/v1/domain/devices.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { stableUuid } from '#features/defaults/index.ts'
import type { LauncherPaths } from '#features/launcher/index.ts'
import type { Domain, Firmware, Input, Kernel } from '#qemu/index.ts'
import { guestCpuOf } from './guest-cpu.ts'
import { guestDisksOf, type VolumeFile } from './guest-disks.ts'
import { guestInterfacesOf } from './guest-interfaces.ts'
import { UnsupportedGuest, type Host } from './host.ts'

/** Files that were prepared for a guest. */
export interface GuestFiles {
  readonly volumes: ReadonlyMap<string, VolumeFile>
  readonly kernel?: { readonly kernelPath: string; readonly initrdPath?: string }
}

/** Unix sockets of a guest, in the short run directory. */
export function guestSockets(paths: LauncherPaths): { monitor: string; spareMonitor: string; serial: string; vnc: string; agent: string } {
  const at = (name: string): string => join(paths.runDirectory, name)
  return { monitor: at('agent.qmp'), spareMonitor: at('tools.qmp'), serial: at('serial'), vnc: at('vnc'), agent: at('guest-agent') }
}

/**
 * A VMI as QEMU shall run it on this node. Pure: the same VMI, files and host give the same guest. What comes out is recorded at launch and
 * never computed again for the same guest. @throws UnsupportedGuest
 */
export function guestDomainOf(vmi: VirtualMachineInstance, files: GuestFiles, paths: LauncherPaths, host: Host): Domain {
  const { domain } = vmi.spec
  const { devices } = domain
  const sockets = guestSockets(paths)
  const uuid = domain.firmware?.uuid || stableUuid(vmi.metadata.uid ?? '')
  const kernel = kernelOf(vmi, files)
  return {
    name: `${vmi.metadata.namespace}_${vmi.metadata.name}`,
    uuid,
    machine: {
      type: machineTypeOf(domain.machine?.type ?? '', host),
      accelerator: host.accelerator,
      acpi: domain.features?.acpi?.enabled !== false,
      smm: domain.features?.smm !== undefined && domain.features.smm.enabled !== false,
    },
    cpu: guestCpuOf(domain.cpu, domain.features, host),
    memory: memoryOf(vmi),
    firmware: firmwareOf(vmi),
    ...(kernel === undefined ? {} : { kernel }),
    clock: { base: domain.clock?.timezone === undefined ? 'utc' : 'localtime', hpet: domain.clock?.timer?.hpet?.present === true },
    disks: guestDisksOf(vmi.spec, files.volumes),
    interfaces: guestInterfacesOf(vmi, uuid),
    inputs: inputsOf(devices),
    ...(devices.autoattachSerialConsole === false
      ? {}
      : { serial: { socketPath: sockets.serial, logPath: join(paths.privateDirectory, 'serial.log') } }),
    ...(devices.autoattachGraphicsDevice === false ? {} : { graphics: { vncSocket: sockets.vnc, device: 'VGA' } }),
    guestAgentSocket: sockets.agent,
    balloon: devices.autoattachMemBalloon !== false,
    rng: devices.rng !== undefined,
    ...watchdogOf(devices),
    panicDevice: (devices.panicDevices ?? []).length > 0,
    smbios: {
      manufacturer: 'KubeVirt',
      product: 'None',
      ...(domain.firmware?.serial === undefined ? {} : { serial: domain.firmware.serial }),
    },
    monitors: [sockets.monitor, sockets.spareMonitor],
    startPaused: true,
  }
}

function machineTypeOf(wanted: string, host: Host): string {
  const type = host.machineAliases[wanted] ?? wanted
  if (host.machineTypes.includes(type)) return type
  throw new UnsupportedGuest(`machine type "${wanted}" is not known to the QEMU of this node`)
}

function memoryOf(vmi: VirtualMachineInstance): Domain['memory'] {
  const { memory } = vmi.spec.domain
  if (memory?.guest === undefined) throw new UnsupportedGuest('the guest must have memory: spec.domain.memory.guest is not set')
  const bytes = Number(quantityToBytes(parseQuantity(memory.guest)))
  const page = memory.hugepages?.pageSize
  return { bytes, ...(page === undefined ? {} : { hugepageBytes: Number(quantityToBytes(parseQuantity(page))) }) }
}

function firmwareOf(vmi: VirtualMachineInstance): Firmware {
  const { bootloader } = vmi.spec.domain.firmware ?? {}
  if (bootloader?.efi !== undefined) throw new UnsupportedGuest('EFI firmware is not supported yet: use bootloader.bios')
  return { kind: 'bios', useSerial: bootloader?.bios?.useSerial === true }
}

function kernelOf(vmi: VirtualMachineInstance, files: GuestFiles): Kernel | undefined {
  if (files.kernel === undefined) return undefined
  return { ...files.kernel, commandLine: vmi.spec.domain.firmware?.kernelBoot?.kernelArgs ?? '' }
}

function inputsOf(devices: Devices): Input[] {
  return (devices.inputs ?? []).map(({ name, type, bus }) => ({
    name,
    type: type === 'keyboard' ? 'keyboard' : 'tablet',
    bus: bus === 'virtio' ? 'virtio' : 'usb',
  }))
}

function watchdogOf(devices: Devices): Pick<Domain, 'watchdog'> {
  const action = devices.watchdog?.i6300esb?.action
  if (devices.watchdog?.i6300esb === undefined) return {}
  return { watchdog: { model: 'i6300esb', action: action === 'poweroff' || action === 'shutdown' ? action : 'reset' } }
}
