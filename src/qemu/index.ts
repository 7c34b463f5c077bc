export { buildArguments, deviceModels } from './domain/arguments.ts'
export { TooManyDevices } from './domain/pci.ts'
export type {
  Clock,
  Cpu,
  Disk,
  Domain,
  Firmware,
  Graphics,
  Input,
  Interface,
  Kernel,
  Machine,
  Memory,
  SerialConsole,
  Smbios,
  Tpm,
} from './domain/domain.ts'
export { connectQmp, type QmpConnectOptions, type QmpConnection, type QmpEvent } from './qmp/connection.ts'
export { pause, pressPowerButton, queryRunState, quit, resume, type RunState } from './qmp/commands.ts'
export { pressAgainAfterMs } from './qmp/power-button.ts'
export { QmpClosed, QmpCommandError } from './qmp/errors.ts'
export { chooseAccelerator, inspectHost, type AcceleratorChoice, type HostVirtualization } from './host/accelerator.ts'
export { QemuUnavailable, queryCapabilities, type QemuCapabilities } from './host/capabilities.ts'
export { chooseFirmware, findFirmware, type FirmwareImage } from './host/firmware-images.ts'
export { findProgram, findQemu, findQemuIn } from './host/find-qemu.ts'
export { identify, isRunning, type ProcessIdentity } from './process/identity.ts'
export { launchScript, shellQuote } from './process/launch-script.ts'
export { createDiskImage, createOverlay, DiskImageError, inspectDiskImage, type DiskImage } from './image/disk-image.ts'
