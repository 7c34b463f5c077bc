/**
 * Maturity of a feature.
 *
 *     alpha          off unless it is enabled
 *     beta           on unless it is disabled
 *     GA             on, and the gate has no effect
 *     deprecated     off unless it is enabled; a field replaces the gate
 *     discontinued   the gate has no effect
 */
export type Phase = 'alpha' | 'beta' | 'GA' | 'deprecated' | 'discontinued'

/** One feature gate of HyperConverged. */
export interface FeatureGateRow {
  readonly name: string
  readonly phase: Phase
  /** Release of steadyvm since which the gate has its phase. */
  readonly since: string
  /** Effect for users, as one phrase. */
  readonly effect: string
  /** Field of v1 that replaces the gate. */
  readonly replacedBy?: string
  /** False if v1beta1, which is frozen, does not have the gate. Default true. */
  readonly isInV1beta1?: false
  /** KubeVirt's feature gates that are enabled while this one is on, or while it is off. */
  readonly kubevirt?: { readonly on?: readonly string[]; readonly off?: readonly string[] }
  /** Guests that behave differently when the gate flips. Absent: none does. */
  readonly guests?: AffectedGuests
}

/** Guests that a feature gate affects. */
export interface AffectedGuests {
  /** The guests, as one phrase. */
  readonly which: string
  /** Fields of the VirtualMachineInstance, of which such a guest has one. */
  readonly fields: readonly string[]
}

/** Reports whether users can switch a gate. Pure. */
export function isSwitchable({ phase }: Pick<FeatureGateRow, 'phase'>): boolean {
  return phase !== 'GA' && phase !== 'discontinued'
}

/** State of a gate that is not listed. Pure. */
export function defaultOf({ phase }: Pick<FeatureGateRow, 'phase'>): boolean {
  return phase === 'beta' || phase === 'GA'
}

const since = 'v0.1.0'
const guests = (which: string, ...fields: readonly string[]): Pick<FeatureGateRow, 'guests'> => ({ guests: { which, fields } })
const alpha = (name: string, effect: string, on: readonly string[] = []): FeatureGateRow => ({
  name,
  phase: 'alpha',
  since,
  effect,
  ...(on.length === 0 ? {} : { kubevirt: { on } }),
})
const beta = (name: string, effect: string, kubevirt: FeatureGateRow['kubevirt'] = {}): FeatureGateRow => ({
  name,
  phase: 'beta',
  since,
  effect,
  kubevirt,
})
const deprecated = (name: string, replacedBy: string, effect: string): FeatureGateRow => ({
  name,
  phase: 'deprecated',
  since,
  effect,
  replacedBy,
})
const discontinued = (name: string, replacedBy?: string): FeatureGateRow => ({
  name,
  phase: 'discontinued',
  since,
  effect: 'none',
  ...(replacedBy === undefined ? {} : { replacedBy }),
})

/**
 * All feature gates of HyperConverged. Validation, effects, conversion between versions and the
 * reference page are derived from this table.
 */
export const featureGateRows: readonly FeatureGateRow[] = [
  beta('decentralizedLiveMigration', 'live migration between clusters', { on: ['DecentralizedLiveMigration'] }),
  {
    ...beta('declarativeHotplugVolumes', 'hotplug of volumes by editing the VM; when off, by the subresources of the VM', {
      on: ['DeclarativeHotplugVolumes'],
      off: ['HotplugVolumes'],
    }),
    ...guests(
      'guests with volumes that can be hotplugged',
      'spec.volumes[].dataVolume.hotpluggable',
      'spec.volumes[].persistentVolumeClaim.hotpluggable',
    ),
  },
  { ...beta('template', 'templates of VMs', { on: ['Template'] }), isInV1beta1: false },
  {
    ...alpha('alignCPUs', 'even number of dedicated CPUs with an emulator thread of its own', ['AlignCPUs']),
    ...guests('guests with an emulator thread of its own', 'spec.domain.cpu.isolateEmulatorThread'),
  },
  {
    ...alpha('containerPathVolumes', 'volumes from paths of the launcher pod', ['ContainerPathVolumes']),
    ...guests('guests with volumes from paths of the launcher pod', 'spec.volumes[].containerPath'),
  },
  {
    ...alpha('downwardMetrics', 'metrics of the host in the guest', ['DownwardMetrics']),
    ...guests('guests with metrics of the host', 'spec.volumes[].downwardMetrics', 'spec.domain.devices.downwardMetrics'),
  },
  {
    ...alpha('incrementalBackup', 'backups of changed blocks', ['IncrementalBackup', 'UtilityVolumes']),
    ...guests('guests whose changed blocks are tracked', 'status.changedBlockTracking'),
  },
  alpha('objectGraph', 'subresource that lists the objects of a VM', ['ObjectGraph']),
  alpha('deployKubeSecondaryDNS', 'names of guests on secondary networks'),
  { ...alpha('deployObservabilityController', 'controller of metrics and alerts'), isInV1beta1: false },
  {
    ...deprecated(
      'disableMDevConfiguration',
      'virtualization.mediatedDevicesConfiguration.enabled',
      'mediated devices of nodes are left to other products',
    ),
    ...guests('guests with GPUs or host devices', 'spec.domain.devices.gpus[]', 'spec.domain.devices.hostDevices[]'),
  },
  deprecated(
    'enableMultiArchBootImageImport',
    'workloadSources.enableMultiArchBootImageImport',
    'boot images for all architectures of the nodes',
  ),
  {
    ...deprecated('persistentReservation', 'storage.persistentReservationConfiguration.enabled', 'persistent reservations of SCSI disks'),
    ...guests('guests with reserved SCSI disks', 'spec.domain.devices.disks[].lun.reservation'),
  },
  discontinued('withHostPassthroughCPU'),
  discontinued('enableCommonBootImageImport', 'workloadSources.enableCommonBootImageImport'),
  discontinued('deployTektonTaskResources'),
  discontinued('deployVmConsoleProxy', 'deployment.deployVmConsoleProxy'),
  discontinued('deployKubevirtIpamController'),
  discontinued('nonRoot'),
  discontinued('enableManagedTenantQuota'),
  discontinued('autoResourceLimits'),
  discontinued('enableApplicationAwareQuota', 'deployment.applicationAwareConfig.enable'),
  discontinued('primaryUserDefinedNetworkBinding'),
  discontinued('videoConfig'),
]

const byName: ReadonlyMap<string, FeatureGateRow> = new Map(featureGateRows.map((row) => [row.name.toLowerCase(), row]))

/** Finds a gate; upper and lower case are the same. */
export function findGate(name: string): FeatureGateRow | undefined {
  return byName.get(name.toLowerCase())
}
