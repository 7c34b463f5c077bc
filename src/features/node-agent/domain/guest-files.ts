import type { VolumeFile } from './disks.ts'

/** UEFI code and variables. */
export interface FirmwareFiles {
  readonly codePath: string
  readonly variablesPath: string
}

/** Prepared files of a guest. */
export interface GuestFiles {
  readonly volumes: ReadonlyMap<string, VolumeFile>
  /** Folders in which QEMU, or swtpm, creates files. */
  readonly folders?: readonly string[]
  readonly kernel?: { readonly kernelPath: string; readonly initrdPath?: string }
  readonly firmware?: FirmwareFiles
  /** Command that starts swtpm. */
  readonly tpmCommand?: readonly string[]
}
