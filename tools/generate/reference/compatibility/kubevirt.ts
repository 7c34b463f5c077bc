/** What becomes of something of KubeVirt here. */
export type Answer = 'same' | 'different' | 'not yet'

/** A command of virtctl, and the subresources that it calls. */
export interface Verb {
  readonly name: string
  /** Subresources below `resource/`, of which the first that is not served decides. */
  readonly calls?: readonly string[]
  /** What happens where no subresource decides it. */
  readonly otherwise?: readonly [Answer, string]
}

/** Commands of virtctl of August 2026. */
export const verbs: readonly Verb[] = [
  { name: 'adm log-verbosity', otherwise: ['same', 'components follow it at once'] },
  { name: 'console', calls: ['virtualmachineinstances/console'] },
  { name: 'create', otherwise: ['same', 'it prints manifests'] },
  {
    name: 'credentials',
    otherwise: ['not yet', 'the secret is changed; a warning at the VM says that nothing acts on `accessCredentials`'],
  },
  { name: 'evacuate-cancel', calls: ['virtualmachineinstances/evacuate/cancel'] },
  { name: 'expand', calls: ['virtualmachines/expand-spec'] },
  { name: 'expose', otherwise: ['same', 'the Service selects the pod of the guest'] },
  { name: 'fslist', calls: ['virtualmachineinstances/filesystemlist'] },
  { name: 'guestfs', calls: ['guestfs'] },
  { name: 'guestosinfo', calls: ['virtualmachineinstances/guestosinfo'] },
  { name: 'image-upload', otherwise: ['not yet', 'refused on one machine, with what to do instead; on a cluster CDI serves it'] },
  { name: 'memory-dump', calls: ['virtualmachines/memorydump'] },
  { name: 'migrate', calls: ['virtualmachines/migrate'] },
  { name: 'migrate-cancel', otherwise: ['same', 'it deletes the migration'] },
  { name: 'objectgraph', calls: ['virtualmachines/objectgraph'] },
  { name: 'pause', calls: ['virtualmachineinstances/pause'] },
  { name: 'permitted-devices', otherwise: ['same', 'it reads the KubeVirt object'] },
  { name: 'port-forward', calls: ['virtualmachineinstances/portforward'] },
  { name: 'removevolume', calls: ['virtualmachines/removevolume'] },
  { name: 'reset', calls: ['virtualmachineinstances/reset'] },
  { name: 'restart', calls: ['virtualmachines/restart'] },
  { name: 'scp', calls: ['virtualmachineinstances/portforward'] },
  { name: 'soft-reboot', calls: ['virtualmachineinstances/softreboot'] },
  { name: 'ssh', calls: ['virtualmachineinstances/portforward'] },
  { name: 'start', calls: ['virtualmachines/start'] },
  { name: 'stop', calls: ['virtualmachines/stop'] },
  { name: 'template', otherwise: ['not yet', 'the kinds of virt-template are not served: the command says so'] },
  { name: 'unpause', calls: ['virtualmachineinstances/unpause'] },
  { name: 'usbredir', calls: ['virtualmachineinstances/usbredir'] },
  { name: 'userlist', calls: ['virtualmachineinstances/userlist'] },
  { name: 'version', calls: ['version'] },
  { name: 'vmexport', otherwise: ['different', 'of VMs and claims; on a cluster with `--port-forward`; snapshots hold no disks yet'] },
  { name: 'vnc', calls: ['virtualmachineinstances/vnc'] },
]

/** Feature gates of KubeVirt of August 2026 that can be switched, and their defaults. */
export const kubeVirtGates: Readonly<Record<string, boolean>> = {
  AlignCPUs: false,
  CPUManager: false,
  ConfigurableHypervisor: false,
  ContainerPathVolumes: false,
  CrossArchitectureVirtualization: false,
  DecentralizedLiveMigration: true,
  DeclarativeHotplugVolumes: true,
  DownwardMetrics: false,
  EnableVirtioFsStorageVolumes: false,
  ExperimentalIgnitionSupport: false,
  ExternalNetResourceInjection: true,
  FirmwareAutoSelection: false,
  GPUsWithDRA: true,
  GraceIOVirtualization: false,
  HostDevices: false,
  HostDevicesWithDRA: true,
  HostDisk: false,
  HypervStrictCheck: false,
  IOMMUFD: false,
  ImageVolume: true,
  IncrementalBackup: false,
  KubevirtSeccompProfile: true,
  MigrationDowntimeTuning: false,
  MigrationStallDetection: false,
  NetworkDevicesWithDRA: false,
  NodeRestriction: true,
  OCIExport: false,
  ObjectGraph: false,
  OptOutRoleAggregation: true,
  PCINUMAAwareTopology: false,
  PasstBinding: true,
  Plugins: false,
  PodSecondaryInterfaceNamingUpgrade: true,
  PortRangesSpec: false,
  RebootPolicy: true,
  ReservedOverheadMemlock: false,
  Root: false,
  Sidecar: false,
  Snapshot: true,
  Template: true,
  UtilityVolumes: false,
  VGPULiveMigration: false,
  VMStatsCollector: false,
  VSOCK: false,
  WorkloadEncryptionSEV: true,
  WorkloadEncryptionTDX: false,
}
