/**
 * The contract between the node agent and launcher pods: files, FIFO and script by which a waiting
 * launcher becomes QEMU with the same PID.
 *
 * `writeLaunchRecord` fixes a guest's hardware, `releaseLauncher` starts it, `inspectLauncher`
 * tells whether it still runs; `preStopCommand` delays the end of a deleted pod until QEMU has
 * ended. The content of the launch is the node agent's, and the pod's manifest is made by the VMI
 * controller.
 */
export { removeAbandonedSockets, removeSockets } from './abandoned-sockets.ts'
export {
  forgetKeptHardware,
  inspectLauncher,
  launchRecordVersion,
  readKeptHardware,
  readLaunchRecord,
  releaseLauncher,
  sealSockets,
  writeKeptHardware,
  writeLaunchRecord,
  type IncomingPorts,
  type LauncherProcess,
  type LaunchRecord,
} from './launch-protocol.ts'
export {
  containedLauncherPaths,
  handoverVolume,
  launcherPaths,
  launcherUser,
  mountPoints,
  persistentStateVolume,
  type GuestVolume,
  type LauncherPaths,
  type LauncherView,
} from './launcher-paths.ts'
export { namespaceCommand, type DeviceNode, type LaunchIsolation, type VisibleFile } from './isolation/isolated-launch.ts'
export { kvmResource, requestsDevice, tunResource } from './device-resources.ts'
export { acceleratorLabel, needsKvm } from './kvm.ts'
export { migrationPorts } from './migration-ports.ts'
export { probeCommand, probeResultFile, runningFile, startupCommand, type GuestProbe } from './guest-probes.ts'
export { preStopCommand, stopFile } from './pre-stop.ts'
