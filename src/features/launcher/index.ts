export {
  forgetKeptHardware,
  imageVolumeDirectory,
  inspectLauncher,
  launcherPaths,
  launchRecordVersion,
  persistentStateDirectory,
  persistentStateVolume,
  readKeptHardware,
  readLaunchRecord,
  releaseLauncher,
  writeKeptHardware,
  writeLaunchRecord,
  type IncomingPorts,
  type LauncherPaths,
  type LauncherProcess,
  type LaunchRecord,
} from './launch-protocol.ts'
export { preStopCommand } from './pre-stop.ts'
