/** What this node offers to guests. */
export interface Host {
  readonly accelerator: 'kvm' | 'tcg'
  /** One sentence for people: why this accelerator. */
  readonly acceleratorReason: string
  /** Path of the QEMU binary. */
  readonly qemuBinary: string
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  readonly cpuModels: readonly string[]
}

/** The guest asks for something that this node cannot give, or that is not supported yet. Trying again without a change cannot help. */
export class UnsupportedGuest extends Error {
  override readonly name = 'UnsupportedGuest'
}
