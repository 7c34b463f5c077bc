import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { ClusterConfig } from '../cluster-config.ts'
import { enableInto } from './features.ts'

/** One disk for each volume that neither a disk nor a filesystem shows to the guest. */
export function addMissingDisksInto(spec: VirtualMachineInstanceSpec): void {
  const { devices } = spec.domain
  const shown = new Set([...(devices.disks ?? []), ...(devices.filesystems ?? [])].map((device) => device.name))
  const missing = (spec.volumes ?? []).filter(({ name, memoryDump }) => {
    if (shown.has(name) || memoryDump !== undefined) return false
    shown.add(name)
    return true
  })
  if (missing.length > 0) devices.disks = [...(devices.disks ?? []), ...missing.map((volume) => ({ name: volume.name }))]
}

/** Adds the input device that a VM requests without describing it. */
export function addInputDeviceInto(spec: VirtualMachineInstanceSpec): void {
  const { devices } = spec.domain
  if (devices.autoattachInputDevice === true && (devices.inputs ?? []).length === 0) devices.inputs = [{ name: 'default-0' } as never]
}

/** A card on the pod network, for a VM that describes no network at all and does not refuse one. */
export function addDefaultNetworkInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  const { devices } = spec.domain
  if (devices.autoattachPodInterface === false) return
  if ((spec.networks ?? []).length > 0 || (devices.interfaces ?? []).length > 0) return
  devices.interfaces = [{ name: 'default', [config.networkInterface]: {} }]
  spec.networks = [{ name: 'default', pod: {} }]
}

/** Sets types, buses and states of disks, inputs and the watchdog that are unset. */
export function completeDevicesInto(spec: VirtualMachineInstanceSpec): void {
  const { devices } = spec.domain
  const bus = spec.architecture === 'arm64' || spec.architecture === 's390x' ? 'virtio' : 'sata'
  for (const disk of devices.disks ?? []) completeDiskInto(disk, bus)
  for (const input of devices.inputs ?? []) {
    input.bus ||= 'usb'
    input.type ||= 'tablet'
  }
  for (const { virtualGPUOptions } of devices.gpus ?? []) enableInto(virtualGPUOptions?.display?.ramFB)
  completeWatchdogInto(spec)
}

function completeDiskInto(disk: Disk, bus: string): void {
  if (disk.disk === undefined && disk.cdrom === undefined && disk.lun === undefined) disk.disk = {}
  for (const target of [disk.disk, disk.cdrom, disk.lun]) if (target !== undefined) target.bus ||= bus
  if (disk.cdrom !== undefined) {
    disk.cdrom.readonly ??= true
    disk.cdrom.tray ||= 'closed'
  }
  enableInto(disk.blockSize?.matchVolume)
}

/** Sets the model and the action of a watchdog. */
function completeWatchdogInto({ domain, architecture }: VirtualMachineInstanceSpec): void {
  const { watchdog } = domain.devices
  if (watchdog === undefined || architecture === 'arm64') return
  const model = architecture === 's390x' ? (watchdog.diag288 ??= {}) : (watchdog.i6300esb ??= {})
  model.action ||= 'reset'
}
