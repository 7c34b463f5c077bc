/**
 * Drives QEMU: builds command lines, speaks QMP, and runs hotplug and live migration. Independent
 * of Kubernetes.
 *
 * `buildArguments` turns a {@link Domain} into a command line, `connectQmp` opens a monitor,
 * `advanceOutgoing` and `advanceIncoming` take one migration step each, `ownership` decides which
 * side may run the guest, `rehearseFingerprint` tells what a guest would see. Processes and files
 * of guests belong to the launcher and the node agent.
 */
export { buildArguments, deviceModels } from './domain/arguments.ts'
export { takesProcessors } from './domain/machine.ts'
export { TooManyDevices } from './domain/pci.ts'
export type {
  CdromDrive,
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
export {
  moveCursor,
  pause,
  pressPowerButton,
  queryRunState,
  queryVersion,
  queryAgentPort,
  quit,
  reset,
  resume,
  saveScreenshot,
  type RunState,
} from './qmp/commands.ts'
export { DiskErrorLog, queryDiskErrors, type DiskError } from './qmp/disk-errors.ts'
export { connectGuestAgent, GuestAgentRefusal, GuestAgentUnavailable, type GuestAgent } from './agent/guest-agent.ts'
export { watchChanges, type Changes } from './qmp/changes.ts'
export { pressAgainAfterMs } from './qmp/power-button.ts'
export { QmpClosed, QmpCommandError } from './qmp/errors.ts'
export { chooseAccelerator, inspectHost, type AcceleratorChoice, type HostVirtualization } from './host/accelerator.ts'
export { QemuUnavailable, queryCapabilities, type QemuCapabilities } from './host/capabilities.ts'
export { chooseFirmware, findFirmware, type FirmwareImage } from './host/firmware-images.ts'
export { findProgram, findQemu, findQemuIn } from './host/find-qemu.ts'
export { identify, isRunning, type ProcessIdentity } from './process/identity.ts'
export { launchScript, shellQuote } from './process/launch-script.ts'
export {
  clearDiskBackups,
  readDiskBackups,
  startDiskBackups,
  type BackupDisk,
  type DiskBackup,
  type DiskBackups,
} from './backup/disk-backups.ts'
export { dumpErrorIn, readMemoryDump, startMemoryDump, type MemoryDump } from './memory-dump/memory-dump.ts'
export { copyBlocks, shareBlocks } from './image/copy-blocks.ts'
export { freeHoles } from './image/free-holes.ts'
export { createDiskImage, createOverlay, DiskImageError, inspectDiskImage, type DiskImage } from './image/disk-image.ts'
export { advanceOutgoing, observeOutgoing, type OutgoingPlan, type OutgoingState } from './migration/outgoing.ts'
export { remainingBytes, type OutgoingObserved, type OutgoingStep } from './migration/decide-outgoing.ts'
export { advanceIncoming, GuestNotArrived, takeOver, type IncomingPlan, type IncomingState } from './migration/incoming.ts'
export { hardwareArguments, incomingArguments } from './migration/incoming-arguments.ts'
export { readMigration, type MigrationReport, type MigrationStatus, type Progress } from './migration/report.ts'
export { awaitRest, sendRest } from './migration/recover.ts'
export { ownership, type Answer, type Ownership } from './migration/ownership.ts'
export { compatibility, type Obstacle, type SourceLaunch, type TargetHost } from './migration/compatibility.ts'
export { failureOf } from './migration/failure.ts'
export type { Endpoint } from './migration/endpoint.ts'
export type { MigrationSettings, MigrationTls } from './migration/settings.ts'
export type { LowWater, MigrationLimits } from './migration/timeouts.ts'
export type { CopiedDisk, DiskCopy } from './migration/disk-copies.ts'
export type { PathUse, Relocate } from './launch/host-paths.ts'
export { nothingPlugged, readHotplugged, type Hotplugged, type PluggedStorage } from './hotplug/hotplugged.ts'
export { plugCard, readCards, readFreePorts, removeBackend, requestUnplug, setLink, type PresentCard } from './hotplug/cards.ts'
export {
  closeDisk,
  ejectMedium,
  insertMedium,
  openDisk,
  plugDisk,
  pluggedScsiBus,
  plugScsiController,
  readDiskSizes,
  readPluggedDisks,
  readScsiIds,
  requestDiskUnplug,
  resizeDisk,
  type DiskRef,
  type PluggedDisk,
  type PluggedDisks,
} from './hotplug/disks.ts'
export type { PluggedPlace } from './domain/disk.ts'
export { countIdleVcpus, plugVcpus, readVcpus, vcpusRefusal, type Vcpu, type VcpuOutcome } from './hotplug/vcpus.ts'
export { memoryRefusal, readMemory, resizeMemory, type GuestMemory, type MemoryOutcome } from './hotplug/memory.ts'
export {
  compareFingerprints,
  fingerprintHash,
  fingerprintText,
  fingerprintVersion,
  type Change,
  type Fingerprint,
} from './fingerprint/fingerprint.ts'
export { compareLaunches, visibleSettings } from './fingerprint/launch-settings.ts'
export { observeFingerprint } from './fingerprint/observe.ts'
export { cpuFacts, cpuFeaturesOf } from './fingerprint/cpu-facts.ts'
export { rehearseFingerprint } from './fingerprint/rehearse.ts'
export { readDiskStatistics, type DiskStatistics } from './statistics/disk-statistics.ts'
export { measureDirtyRate, readDirtyRate } from './statistics/dirty-rate.ts'
export { pollGuestMemory, readMemoryStatistics, type MemoryStatistics } from './statistics/memory-statistics.ts'
export { readVcpuThreads, type VcpuThread } from './statistics/vcpu-threads.ts'
