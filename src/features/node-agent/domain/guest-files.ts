import type { VolumeFile } from './disks.ts'

/** Files of UEFI firmware. */
export interface FirmwareFiles {
  readonly codePath: string
  readonly variablesPath: string
}

/** Files that were prepared for a guest. */
export interface GuestFiles {
  readonly volumes: ReadonlyMap<string, VolumeFile>
  readonly kernel?: { readonly kernelPath: string; readonly initrdPath?: string }
  readonly firmware?: FirmwareFiles
  /** What starts the guest's TPM. */
  readonly tpmCommand?: readonly string[]
}
