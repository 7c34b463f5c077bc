import type { CustomResourceColumnDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { hyperConvergedConverter } from '#features/hyperconverged/index.ts'
import { cdiKinds } from './cdi-kinds.ts'
import { age, type CustomKind, type CustomVersion } from './custom-kind.ts'

function condition(name: string, type: string, priority?: number): CustomResourceColumnDefinition {
  const column: CustomResourceColumnDefinition = { name, type: 'string', jsonPath: `.status.conditions[?(@.type=='${type}')].status` }
  return priority === undefined ? column : { ...column, priority }
}

/** Upstream's old name of v1: the schemas are the same. */
const kubevirtVersions: readonly CustomVersion[] = [
  { name: 'v1', storage: true },
  {
    name: 'v1alpha3',
    storage: false,
    deprecated: true,
    deprecationWarning: 'kubevirt.io/v1alpha3 is now deprecated and will be removed in a future release.',
  },
]

const virtualMachine: CustomKind = {
  group: 'kubevirt.io',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  singular: 'virtualmachine',
  shortNames: ['vm', 'vms'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: kubevirtVersions,
  columns: [
    age,
    { name: 'Status', description: 'State of the VM as one word', type: 'string', jsonPath: '.status.printableStatus' },
    condition('Ready', 'Ready'),
  ],
  subresources: { status: {} },
  file: 'src/api/kubevirt/v1/virtual-machine.ts',
}

/** Without a status subresource: phase, labels and status of a guest change in one write. */
const virtualMachineInstance: CustomKind = {
  group: 'kubevirt.io',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  singular: 'virtualmachineinstance',
  shortNames: ['vmi', 'vmis'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: kubevirtVersions,
  columns: [
    age,
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'IP', type: 'string', jsonPath: '.status.interfaces[0].ipAddress' },
    { name: 'NodeName', type: 'string', jsonPath: '.status.nodeName' },
    condition('Ready', 'Ready'),
    condition('Live-Migratable', 'LiveMigratable', 1),
    condition('Paused', 'Paused', 1),
  ],
  file: 'src/api/kubevirt/v1/virtual-machine-instance.ts',
}

const migration: CustomKind = {
  group: 'kubevirt.io',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  singular: 'virtualmachineinstancemigration',
  shortNames: ['vmim', 'vmims'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: kubevirtVersions,
  columns: [
    { name: 'Phase', description: 'Phase of the migration', type: 'string', jsonPath: '.status.phase' },
    { name: 'VMI', description: 'Name of the VMI', type: 'string', jsonPath: '.spec.vmiName' },
  ],
  subresources: { status: {} },
  file: 'src/api/kubevirt/v1/virtual-machine-instance-migration.ts',
}

const migrationPolicy: CustomKind = {
  group: 'migrations.kubevirt.io',
  kind: 'MigrationPolicy',
  plural: 'migrationpolicies',
  singular: 'migrationpolicy',
  shortNames: [],
  // A cluster-scoped kind would show up in `kubectl get all` of every namespace.
  categories: [],
  scope: 'Cluster',
  versions: [{ name: 'v1alpha1', storage: true }],
  columns: [],
  subresources: { status: {} },
  file: 'src/api/migrations/v1alpha1/migration-policy.ts',
}

const kubeVirt: CustomKind = {
  group: 'kubevirt.io',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  singular: 'kubevirt',
  shortNames: ['kv', 'kvs'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: kubevirtVersions,
  columns: [age, { name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  subresources: { status: {} },
  file: 'src/api/kubevirt/v1/kubevirt.ts',
}

const preset: CustomKind = {
  group: 'kubevirt.io',
  kind: 'VirtualMachineInstancePreset',
  plural: 'virtualmachineinstancepresets',
  singular: 'virtualmachineinstancepreset',
  shortNames: ['vmipreset', 'vmipresets'],
  // KubeVirt has it in `all`, so that every `kubectl get all` warns of this rarely used kind.
  categories: [],
  scope: 'Namespaced',
  versions: kubevirtVersions.map((version) => ({
    ...version,
    deprecated: true,
    deprecationWarning: `kubevirt.io/${version.name} VirtualMachineInstancePresets is now deprecated and will be removed in v2.`,
  })),
  columns: [],
  file: 'src/api/kubevirt/v1/virtual-machine-instance-preset.ts',
}

const volumeSnapshot: CustomKind = {
  group: 'snapshot.storage.k8s.io',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  singular: 'volumesnapshot',
  shortNames: ['vs'],
  categories: [],
  scope: 'Namespaced',
  versions: [{ name: 'v1', storage: true }],
  columns: [
    { name: 'ReadyToUse', type: 'boolean', jsonPath: '.status.readyToUse' },
    { name: 'SourcePVC', type: 'string', jsonPath: '.spec.source.persistentVolumeClaimName' },
    { name: 'RestoreSize', type: 'string', jsonPath: '.status.restoreSize' },
    { name: 'SnapshotClass', type: 'string', jsonPath: '.spec.volumeSnapshotClassName' },
    age,
  ],
  // The group belongs to Kubernetes, which asks for a word of approval.
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/665' },
  subresources: { status: {} },
  file: 'src/api/snapshot-storage/v1/volume-snapshot.ts',
}

/**
 * Returns a kind of the API for virtual machine snapshots and clones. All of them are in KubeVirt's
 * category `all`.
 */
function snapshotKind(kind: Pick<CustomKind, 'group' | 'kind' | 'shortNames' | 'columns' | 'file'>): CustomKind {
  return {
    ...kind,
    plural: `${kind.kind.toLowerCase()}s`,
    singular: kind.kind.toLowerCase(),
    categories: ['all'],
    scope: 'Namespaced',
    // The fields of both versions are the same.
    versions: [
      { name: 'v1alpha1', storage: false },
      { name: 'v1beta1', storage: true },
    ],
    subresources: { status: {} },
  }
}

/** Properties of kinds whose objects have a number of replicas. */
const scaled: Pick<CustomKind, 'categories' | 'scope' | 'subresources'> = {
  categories: ['all'],
  scope: 'Namespaced',
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.labelSelector' },
  },
}

function scaleColumns(of: string): readonly CustomResourceColumnDefinition[] {
  return [
    { name: 'Desired', description: `Desired number of ${of}`, type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', description: `Number of ${of} that are not final`, type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', description: `Number of ${of} that are ready`, type: 'integer', jsonPath: '.status.readyReplicas' },
    age,
  ]
}

const replicaSet: CustomKind = {
  ...scaled,
  group: 'kubevirt.io',
  kind: 'VirtualMachineInstanceReplicaSet',
  plural: 'virtualmachineinstancereplicasets',
  singular: 'virtualmachineinstancereplicaset',
  shortNames: ['vmirs', 'vmirss'],
  versions: kubevirtVersions,
  columns: scaleColumns('VMIs'),
  file: 'src/api/kubevirt/v1/virtual-machine-instance-replica-set.ts',
}

const pool: CustomKind = {
  ...scaled,
  group: 'pool.kubevirt.io',
  kind: 'VirtualMachinePool',
  plural: 'virtualmachinepools',
  singular: 'virtualmachinepool',
  shortNames: ['vmpool', 'vmpools'],
  versions: [
    { name: 'v1alpha1', storage: false },
    { name: 'v1beta1', storage: true },
  ],
  columns: scaleColumns('VMs'),
  file: 'src/api/pool/v1beta1/virtual-machine-pool.ts',
}

const sourceColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'SourceKind', type: 'string', jsonPath: '.spec.source.kind' },
  { name: 'SourceName', type: 'string', jsonPath: '.spec.source.name' },
]

const virtualMachineExport: CustomKind = {
  group: 'export.kubevirt.io',
  kind: 'VirtualMachineExport',
  plural: 'virtualmachineexports',
  singular: 'virtualmachineexport',
  shortNames: ['vmexport', 'vmexports'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1beta1',
      storage: false,
      deprecated: true,
      deprecationWarning: 'export.kubevirt.io/v1beta1 VirtualMachineExport is now deprecated and will be removed in a future version.',
    },
    { name: 'v1', storage: true },
  ],
  columns: [...sourceColumns, { name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  subresources: { status: {} },
  file: 'src/api/export/v1/virtual-machine-export.ts',
}

const backup: CustomKind = {
  group: 'backup.kubevirt.io',
  kind: 'VirtualMachineBackup',
  plural: 'virtualmachinebackups',
  singular: 'virtualmachinebackup',
  shortNames: ['vmbackup', 'vmbackups'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: [{ name: 'v1alpha1', storage: true }],
  columns: [
    ...sourceColumns,
    { name: 'Type', type: 'string', jsonPath: '.status.type' },
    { name: 'CheckpointName', type: 'string', jsonPath: '.status.checkpointName' },
  ],
  subresources: { status: {} },
  file: 'src/api/backup/v1alpha1/virtual-machine-backup.ts',
}

const backupTracker: CustomKind = {
  ...backup,
  kind: 'VirtualMachineBackupTracker',
  plural: 'virtualmachinebackuptrackers',
  singular: 'virtualmachinebackuptracker',
  shortNames: ['vmbackuptracker', 'vmbackuptrackers'],
  columns: [
    ...sourceColumns,
    { name: 'LatestCheckpoint', type: 'string', jsonPath: '.status.latestCheckpoint.name' },
    { name: 'CheckpointTime', type: 'date', jsonPath: '.status.latestCheckpoint.creationTime' },
  ],
  file: 'src/api/backup/v1alpha1/virtual-machine-backup-tracker.ts',
}

const plugin: CustomKind = {
  group: 'plugin.kubevirt.io',
  kind: 'Plugin',
  plural: 'plugins',
  singular: 'plugin',
  shortNames: [],
  categories: [],
  scope: 'Cluster',
  versions: [{ name: 'v1alpha1', storage: true }],
  columns: [],
  file: 'src/api/plugin/v1alpha1/plugin.ts',
}

const errorColumn: CustomResourceColumnDefinition = { name: 'Error', type: 'string', jsonPath: '.status.error.message' }
const snapshotGroup = 'snapshot.kubevirt.io'

const virtualMachineSnapshot = snapshotKind({
  group: snapshotGroup,
  kind: 'VirtualMachineSnapshot',
  shortNames: ['vmsnapshot', 'vmsnapshots'],
  columns: [
    { name: 'SourceKind', type: 'string', jsonPath: '.spec.source.kind' },
    { name: 'SourceName', type: 'string', jsonPath: '.spec.source.name' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'ReadyToUse', type: 'boolean', jsonPath: '.status.readyToUse' },
    { name: 'CreationTime', type: 'date', jsonPath: '.status.creationTime' },
    errorColumn,
  ],
  file: 'src/api/snapshot/v1beta1/virtual-machine-snapshot.ts',
})

const virtualMachineSnapshotContent = snapshotKind({
  group: snapshotGroup,
  kind: 'VirtualMachineSnapshotContent',
  shortNames: ['vmsnapshotcontent', 'vmsnapshotcontents'],
  columns: [
    { name: 'ReadyToUse', type: 'boolean', jsonPath: '.status.readyToUse' },
    { name: 'CreationTime', type: 'date', jsonPath: '.status.creationTime' },
    errorColumn,
  ],
  file: 'src/api/snapshot/v1beta1/virtual-machine-snapshot-content.ts',
})

const virtualMachineRestore = snapshotKind({
  group: snapshotGroup,
  kind: 'VirtualMachineRestore',
  shortNames: ['vmrestore', 'vmrestores'],
  columns: [
    { name: 'TargetKind', type: 'string', jsonPath: '.spec.target.kind' },
    { name: 'TargetName', type: 'string', jsonPath: '.spec.target.name' },
    { name: 'Complete', type: 'boolean', jsonPath: '.status.complete' },
    { name: 'RestoreTime', type: 'date', jsonPath: '.status.restoreTime' },
    errorColumn,
  ],
  file: 'src/api/snapshot/v1beta1/virtual-machine-restore.ts',
})

const virtualMachineClone = snapshotKind({
  group: 'clone.kubevirt.io',
  kind: 'VirtualMachineClone',
  shortNames: ['vmclone', 'vmclones'],
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'SourceVirtualMachine', type: 'string', jsonPath: '.spec.source.name' },
    { name: 'TargetVirtualMachine', type: 'string', jsonPath: '.spec.target.name' },
  ],
  file: 'src/api/clone/v1beta1/virtual-machine-clone.ts',
})

const hardwareRecord: CustomKind = {
  group: 'steadyvm.io',
  kind: 'HardwareRecord',
  plural: 'hardwarerecords',
  singular: 'hardwarerecord',
  shortNames: ['hw'],
  // `kubectl get all` shows the machines themselves.
  categories: [],
  scope: 'Namespaced',
  versions: [{ name: 'v1alpha1', storage: true }],
  columns: [
    { name: 'Fingerprint', type: 'string', jsonPath: '.fingerprint' },
    { name: 'Since', type: 'date', jsonPath: '.history[0].since' },
    { name: 'Reason', description: 'Reason of the last change', type: 'string', jsonPath: '.history[0].reason' },
    { name: 'QEMU', description: 'Version of QEMU at the last change', type: 'string', jsonPath: '.history[0].qemu' },
    { ...age, priority: 1 },
  ],
  file: 'src/api/steadyvm/v1alpha1/hardware-record.ts',
}

const componentOverride: CustomKind = {
  group: 'steadyvm.io',
  kind: 'ComponentOverride',
  plural: 'componentoverrides',
  singular: 'componentoverride',
  shortNames: [],
  categories: [],
  scope: 'Cluster',
  versions: [{ name: 'v1alpha1', storage: true }],
  columns: [
    { name: 'Component', type: 'string', jsonPath: '.spec.component' },
    { name: 'Applied', type: 'string', jsonPath: '.status.conditions[?(@.type=="Applied")].status' },
    { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt' },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
    age,
  ],
  subresources: { status: {} },
  file: 'src/api/steadyvm/v1alpha1/component-override.ts',
}

const hyperConverged: CustomKind = {
  group: 'hco.kubevirt.io',
  kind: 'HyperConverged',
  plural: 'hyperconvergeds',
  singular: 'hyperconverged',
  shortNames: ['hco', 'hcos'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: [
    { name: 'v1', storage: true },
    {
      name: 'v1beta1',
      storage: false,
      deprecated: true,
      deprecationWarning: 'hco.kubevirt.io/v1beta1 HyperConverged is deprecated: use hco.kubevirt.io/v1',
      file: 'src/api/hco/v1beta1/hyperconverged.ts',
    },
  ],
  columns: [age],
  subresources: { status: {} },
  converter: hyperConvergedConverter,
  file: 'src/api/hco/v1/hyperconverged.ts',
}

/** Kinds of the operator of HyperConverged: installed beside it, and not with the others. */
export const hyperConvergedKinds: readonly CustomKind[] = [hyperConverged, componentOverride]

/**
 * Kinds that others bring to a cluster, Multus and CSI's snapshot controller, and that machine mode
 * has by itself: networks of guests, and snapshots that VMs may name.
 */
export const machineKinds: readonly CustomKind[] = [
  volumeSnapshot,
  {
    group: 'k8s.cni.cncf.io',
    kind: 'NetworkAttachmentDefinition',
    plural: 'network-attachment-definitions',
    singular: 'network-attachment-definition',
    shortNames: ['net-attach-def'],
    categories: [],
    scope: 'Namespaced',
    versions: [{ name: 'v1', storage: true }],
    columns: [age],
    file: 'src/api/k8s-cni-cncf/v1/network-attachment-definition.ts',
  },
]

type InstancetypeKind = Pick<CustomKind, 'kind' | 'shortNames' | 'scope' | 'file'>

function instancetypeKind({ kind, shortNames, scope, file }: InstancetypeKind): CustomKind {
  return {
    group: 'instancetype.kubevirt.io',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames,
    // Cluster-scoped ones would show up in `kubectl get all` of every namespace.
    categories: scope === 'Namespaced' ? ['all'] : [],
    scope,
    versions: [
      { name: 'v1beta1', storage: true },
      // Served when the feature gate InstancetypeV1 says so.
      { name: 'v1', storage: false, served: false, file: file.replace('/v1beta1/', '/v1/') },
    ],
    columns: [],
    file,
  }
}

const instancetypeFile = 'src/api/instancetype/v1beta1/virtual-machine-instancetype.ts'
const preferenceFile = 'src/api/instancetype/v1beta1/virtual-machine-preference.ts'

/** All of them. */
export const customKinds: readonly CustomKind[] = [
  virtualMachine,
  virtualMachineInstance,
  migration,
  migrationPolicy,
  preset,
  kubeVirt,
  instancetypeKind({
    kind: 'VirtualMachineInstancetype',
    shortNames: ['vminstancetype', 'vminstancetypes', 'vmf', 'vmfs'],
    scope: 'Namespaced',
    file: instancetypeFile,
  }),
  instancetypeKind({
    kind: 'VirtualMachineClusterInstancetype',
    shortNames: ['vmclusterinstancetype', 'vmclusterinstancetypes', 'vmcf', 'vmcfs'],
    scope: 'Cluster',
    file: instancetypeFile,
  }),
  instancetypeKind({
    kind: 'VirtualMachinePreference',
    shortNames: ['vmpref', 'vmprefs', 'vmp', 'vmps'],
    scope: 'Namespaced',
    file: preferenceFile,
  }),
  instancetypeKind({ kind: 'VirtualMachineClusterPreference', shortNames: ['vmcp', 'vmcps'], scope: 'Cluster', file: preferenceFile }),
  ...cdiKinds,
  virtualMachineSnapshot,
  virtualMachineSnapshotContent,
  virtualMachineRestore,
  virtualMachineClone,
  replicaSet,
  pool,
  virtualMachineExport,
  backup,
  backupTracker,
  plugin,
  hardwareRecord,
]
