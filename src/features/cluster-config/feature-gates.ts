/** Feature gates and their defaults. A `locked` gate cannot be switched. */
export const featureGates: Readonly<Record<string, { readonly default: boolean; readonly locked?: boolean }>> = {
  /** Allows fields that no component acts on yet: admission names them in a warning. */
  DownwardMetrics: { default: false },
  HostDisk: { default: false },
  /** Without the gate the cluster is asked. */
  ImageVolume: { default: false },
  InstancetypeV1: { default: false },
  /** See DownwardMetrics. */
  ReservedOverheadMemlock: { default: false },
  SharedRevisions: { default: false },
  /** See DownwardMetrics. */
  VSOCK: { default: false },
}
