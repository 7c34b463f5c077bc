interface FeatureGate {
  readonly default: boolean
  /** True if the gate cannot be switched. */
  readonly locked?: boolean
}

/**
 * Feature gates and their defaults. Most of them only allow fields that no component acts on yet:
 * without the gate admission refuses them, and with it names them in a warning.
 */
export const featureGates: Readonly<Record<string, FeatureGate>> = {
  DeclarativeHotplugVolumes: { default: true },
  DownwardMetrics: { default: false },
  EnableVirtioFsStorageVolumes: { default: false },
  ExperimentalIgnitionSupport: { default: false },
  HostDevices: { default: false },
  HostDisk: { default: false },
  /** Deprecated in KubeVirt, where DeclarativeHotplugVolumes replaces it. */
  HotplugVolumes: { default: false },
  /** Without the gate the cluster is asked. */
  ImageVolume: { default: false },
  InstancetypeV1: { default: false },
  NetworkDevicesWithDRA: { default: false },
  /** KubeVirt opens it: nothing binds interfaces by passt here yet. */
  PasstBinding: { default: false },
  PersistentReservation: { default: false },
  PortRangesSpec: { default: false },
  RebootPolicy: { default: true },
  ReservedOverheadMemlock: { default: false },
  SharedRevisions: { default: false },
  Sidecar: { default: false },
  VSOCK: { default: false },
  WorkloadEncryptionSEV: { default: true },
  WorkloadEncryptionTDX: { default: false },
}

/** Names of the gates that are open unless they are disabled. */
export const openByDefault: readonly string[] = Object.entries(featureGates).flatMap(([name, gate]) => (gate.default ? [name] : []))

/** Reports whether a gate is among the open ones. */
export function isGateOpen(gate: string, open: readonly string[]): boolean {
  return open.includes(gate)
}
