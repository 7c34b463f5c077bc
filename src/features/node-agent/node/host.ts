import type { FirmwareImage } from '#qemu/index.ts'

/** Virtualization capabilities of this node. */
export interface Host {
  readonly accelerator: 'kvm' | 'tcg'
  /** Reason for this accelerator, in one sentence. */
  readonly acceleratorReason: string
  /** Path. */
  readonly qemuBinary: string
  /** QEMU version: `7.2.22`. */
  readonly version: string
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  /** Versioned machine types that a later QEMU will not have. */
  readonly deprecatedMachineTypes: readonly string[]
  readonly cpuModels: readonly string[]
  readonly cpuFeatures: readonly string[]
  /** Device models, as QEMU names them. */
  readonly deviceModels: readonly string[]
  /** UEFI firmware images in order of preference. */
  readonly firmware: readonly FirmwareImage[]
  /** Path of swtpm, if installed. */
  readonly tpmEmulator: string | undefined
}
