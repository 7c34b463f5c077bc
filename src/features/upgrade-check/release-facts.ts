import type { PublishedGate } from '#features/hyperconverged/index.ts'

/** Facts about a release that are known without running it. Undefined facts are unknown. */
export interface ReleaseFacts {
  /** `v0.2.0`. */
  readonly version: string
  /** Oldest version that can be upgraded to this one directly. */
  readonly upgradesFrom: string | undefined
  /** Feature gates by name. */
  readonly featureGates: Readonly<Record<string, FeatureGate>> | undefined
  /** API versions in which it reads revisions of instance types and preferences. */
  readonly revisionVersions: readonly string[] | undefined
  /** Feature gates of HyperConverged. */
  readonly hyperConvergedGates: readonly PublishedGate[] | undefined
  /** Versions of its CRDs, by name. */
  readonly definitions: Readonly<Record<string, readonly string[]>> | undefined
  /** Facts about its QEMU. */
  readonly qemu: QemuFacts | undefined
}

/** A feature gate of a release. */
export interface FeatureGate {
  /** True if it is enabled by default. */
  readonly default: boolean
  /** True if it cannot be changed. */
  readonly locked?: boolean
}

/** Facts about a QEMU. */
export interface QemuFacts {
  readonly version: string
  /** Versioned machine types. */
  readonly machineTypes: readonly string[]
  /** Alias → versioned machine type. */
  readonly machineAliases: Readonly<Record<string, string>>
  readonly cpuModels: readonly string[]
}
