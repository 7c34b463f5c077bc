/** Feature gates and their defaults. A `locked` gate cannot be switched. */
export const featureGates: Readonly<Record<string, { readonly default: boolean; readonly locked?: boolean }>> = {
  HostDisk: { default: false },
  /** Without the gate the cluster is asked. */
  ImageVolume: { default: false },
  InstancetypeV1: { default: false },
  SharedRevisions: { default: false },
}
