/** Features that are switched on (true) or off (false). An absent one has its default. */
export interface FeatureGates {
  /** Guests read metrics of their host. */
  downwardMetrics?: boolean
  /** Ignored. */
  withHostPassthroughCPU?: boolean
  /** Ignored: use spec.enableCommonBootImageImport. */
  enableCommonBootImageImport?: boolean
  /** Ignored. */
  deployTektonTaskResources?: boolean
  /** Ignored: use spec.deployVmConsoleProxy. */
  deployVmConsoleProxy?: boolean
  /** Names of guests on secondary networks. */
  deployKubeSecondaryDNS?: boolean
  /** Ignored. */
  deployKubevirtIpamController?: boolean
  /** Ignored. */
  nonRoot?: boolean
  /** Mediated devices of nodes are left to other products. */
  disableMDevConfiguration?: boolean
  /** Guests may reserve SCSI disks persistently. */
  persistentReservation?: boolean
  /** Ignored. */
  enableManagedTenantQuota?: boolean
  /** Ignored. */
  autoResourceLimits?: boolean
  /** Even number of dedicated CPUs with an emulator thread of its own. */
  alignCPUs?: boolean
  /** Ignored: use spec.enableApplicationAwareQuota. */
  enableApplicationAwareQuota?: boolean
  /** Ignored. */
  primaryUserDefinedNetworkBinding?: boolean
  /** Boot images for all architectures of the nodes. */
  enableMultiArchBootImageImport?: boolean
  /** Live migration between clusters. */
  decentralizedLiveMigration?: boolean
  /** Hotplug of volumes by editing the VM. */
  declarativeHotplugVolumes?: boolean
  /** Ignored. */
  videoConfig?: boolean
  /** Subresource that lists the objects of a VM. */
  objectGraph?: boolean
  /** Backups of changed blocks. */
  incrementalBackup?: boolean
  /** Volumes from paths of the launcher pod. */
  containerPathVolumes?: boolean
}
