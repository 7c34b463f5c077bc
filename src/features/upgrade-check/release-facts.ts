/** What is known of a release without running it. */
export interface ReleaseFacts {
  /** `v0.2.0`. */
  readonly version: string
  /**
   * Oldest version that can go to this one without one between them; undefined: nobody has said.
   */
  readonly upgradesFrom: string | undefined
  /** Features that it knows, by the name of their gates; undefined: nobody has said. */
  readonly featureGates: Readonly<Record<string, FeatureGate>> | undefined
  /**
   * API versions in which it understands copies of instance types and preferences; undefined:
   * nobody has said.
   */
  readonly revisionVersions: readonly string[] | undefined
  /**
   * CustomResourceDefinitions that it brings, by name, with their versions; undefined: nobody has
   * said.
   */
  readonly definitions: Readonly<Record<string, readonly string[]>> | undefined
  /** The hypervisor that its guests run on; undefined: nobody has said. */
  readonly qemu: QemuFacts | undefined
}

/** How a feature is switched. */
export interface FeatureGate {
  /** Whether it is on where nobody has said. */
  readonly default: boolean
  /** Whether nobody can change that. */
  readonly locked?: boolean
}

/** What is known of a hypervisor. */
export interface QemuFacts {
  readonly version: string
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  readonly cpuModels: readonly string[]
}
