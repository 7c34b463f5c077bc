import type { FirmwareImage } from '#qemu/index.ts'

/** What this node offers to guests. */
export interface Host {
  readonly accelerator: 'kvm' | 'tcg'
  /** One sentence for people: why this accelerator. */
  readonly acceleratorReason: string
  /** Path of the QEMU binary. */
  readonly qemuBinary: string
  /** Version of that QEMU: `7.2.22`. */
  readonly version: string
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  readonly cpuModels: readonly string[]
  readonly cpuFeatures: readonly string[]
  /** Devices that QEMU can emulate, by its names. */
  readonly deviceModels: readonly string[]
  /** UEFI firmware, the preferred first. */
  readonly firmware: readonly FirmwareImage[]
  /** The program that emulates TPMs, if there is one. */
  readonly tpmEmulator: string | undefined
}
