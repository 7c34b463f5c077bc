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
}

const since = 'v0.1.0'
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
  beta('declarativeHotplugVolumes', 'hotplug of volumes by editing the VM; when off, by the subresources of the VM', {
    on: ['DeclarativeHotplugVolumes'],
    off: ['HotplugVolumes'],
  }),
  { ...beta('template', 'templates of VMs', { on: ['Template'] }), isInV1beta1: false },
  alpha('alignCPUs', 'even number of dedicated CPUs with an emulator thread of its own', ['AlignCPUs']),
  alpha('containerPathVolumes', 'volumes from paths of the launcher pod', ['ContainerPathVolumes']),
  alpha('downwardMetrics', 'metrics of the host in the guest', ['DownwardMetrics']),
  alpha('incrementalBackup', 'backups of changed blocks', ['IncrementalBackup', 'UtilityVolumes']),
  alpha('objectGraph', 'subresource that lists the objects of a VM', ['ObjectGraph']),
  alpha('deployKubeSecondaryDNS', 'names of guests on secondary networks'),
  { ...alpha('deployObservabilityController', 'controller of metrics and alerts'), isInV1beta1: false },
  deprecated(
    'disableMDevConfiguration',
    'virtualization.mediatedDevicesConfiguration.enabled',
    'mediated devices of nodes are left to other products',
  ),
  deprecated(
    'enableMultiArchBootImageImport',
    'workloadSources.enableMultiArchBootImageImport',
    'boot images for all architectures of the nodes',
  ),
  deprecated('persistentReservation', 'storage.persistentReservationConfiguration.enabled', 'persistent reservations of SCSI disks'),
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
