/** What the cluster decides where a VM leaves something open. KubeVirt's names and values, from `spec.configuration` of the KubeVirt object. */
export interface ClusterConfig {
  /** Go's spelling: `amd64`, `arm64`, `s390x`. */
  readonly architecture: string
  /** Machine type for each architecture; an alias, resolved by the node agent when the guest is launched. */
  readonly machineTypes: Readonly<Record<string, string>>
  readonly cpuModel: string
  /** Sockets that can be plugged later, as a multiple of those at start. */
  readonly maxHotplugRatio: number
  /** Binding of the network card that a VM without networks gets. */
  readonly networkInterface: 'bridge' | 'masquerade'
  readonly evictionStrategy: 'None' | 'LiveMigrate' | 'LiveMigrateIfPossible' | 'External'
}

/**
 * The defaults of a fresh cluster. KubeVirt's, but for the network card: KubeVirt binds it as `bridge`, which gives the guest the pod's address;
 * a guest here is behind address translation, which is what `masquerade` says.
 */
export const defaultClusterConfig: ClusterConfig = {
  architecture: 'amd64',
  machineTypes: { amd64: 'q35', arm64: 'virt', s390x: 's390-ccw-virtio' },
  cpuModel: 'host-model',
  maxHotplugRatio: 4,
  networkInterface: 'masquerade',
  evictionStrategy: 'None',
}
