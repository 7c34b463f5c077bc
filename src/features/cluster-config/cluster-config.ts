import { openByDefault } from './feature-gates.ts'
import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'

/**
 * Cluster-wide settings and defaults of VMs. KubeVirt's names and values, from `spec.configuration`
 * of the KubeVirt object.
 */
export interface ClusterConfig {
  /** Go's spelling: `amd64`, `arm64`, `s390x`. */
  readonly architecture: string
  /**
   * Machine type for each architecture; an alias, resolved by the node agent when the guest is
   * launched.
   */
  readonly machineTypes: Readonly<Record<string, string>>
  /** Patterns of the machine types that VMs may have, for each architecture. */
  readonly emulatedMachines: Readonly<Record<string, readonly string[]>>
  readonly cpuModel: string
  /**
   * CPU request of a guest without one, as a quantity. Absent: by the number of its virtual CPUs.
   */
  readonly cpuRequest?: string
  /** Virtual CPUs for each CPU that is requested. */
  readonly cpuAllocationRatio: number
  /**
   * Guest memory as a percentage of the memory that is requested for it: 150 requests two thirds.
   */
  readonly memoryOvercommitPercent: number
  /** Sockets and guest memory that can be plugged later, as a multiple of those at start. */
  readonly maxHotplugRatio: number
  /** Maximum sockets of a guest that does not set it. Absent: by the ratio. */
  readonly maxCpuSockets?: number
  /** Maximum memory of a guest that does not set it, as a quantity. Absent: by the ratio. */
  readonly maxGuest?: string
  /** Binding of the network card that a VM without networks gets. */
  readonly networkInterface: 'bridge' | 'masquerade'
  /** True if guests may take over the address of their pod. */
  readonly permitsPodBridge: boolean
  readonly evictionStrategy: 'None' | 'LiveMigrate' | 'LiveMigrateIfPossible' | 'External'
  /**
   * Strategy for changes of a VM: apply them to the running guest, or stage them until its next
   * start.
   */
  readonly rolloutStrategy: 'LiveUpdate' | 'Stage'
  /** Methods of workload updates, in order of preference. Empty: guests are not updated. */
  readonly workloadUpdateMethods: readonly ('LiveMigrate' | 'Evict')[]
  /** Number of guests that are stopped at once for an update, and the interval. */
  readonly workloadUpdateBatchSize: number
  readonly workloadUpdateBatchIntervalMs: number
  /**
   * Policy for instance type and preference references of VMs: keep them (`reference`), or expand
   * those of new VMs or of all VMs.
   */
  readonly referencePolicy: 'reference' | 'expand' | 'expandAll'
  /** True if launchers in containers get images as volumes. Absent: if the cluster has them. */
  readonly imageVolumes?: boolean
  /** True if launchers in containers never request KVM. */
  readonly useEmulation: boolean
  /** True if the instance types and preferences of the system are installed. */
  readonly commonInstancetypes: boolean
  /** Names of the features that are switched on. */
  readonly featureGates: readonly string[]
  readonly migrations: MigrationDefaults
  /** Protocol versions and ciphers of virt-api. */
  readonly tls: TlsLimits
}

/**
 * Default settings and limits of migrations. KubeVirt's names, under which they are also recorded
 * with each migration.
 */
export interface MigrationDefaults {
  readonly parallelMigrationsPerCluster: number
  readonly parallelOutboundMigrationsPerNode: number
  /** A quantity of bytes a second. Absent: no limit. */
  readonly bandwidthPerMigration?: string
  /** Seconds. */
  readonly completionTimeoutPerGiB: number
  readonly progressTimeout: number
  readonly maxDowntimeMs: number
  readonly allowAutoConverge: boolean
  readonly allowPostCopy: boolean
  readonly allowWorkloadDisruption: boolean
  readonly disableTLS: boolean
  /** Network that guests move by. Absent: that of the pods. */
  readonly network?: string
}

/**
 * The defaults of a new cluster. KubeVirt's, except the network binding: KubeVirt uses `bridge`,
 * which gives the guest the address of the pod; a guest here is behind address translation, which
 * is `masquerade`.
 */
export const defaultClusterConfig: ClusterConfig = {
  architecture: 'amd64',
  machineTypes: { amd64: 'q35', arm64: 'virt', s390x: 's390-ccw-virtio' },
  emulatedMachines: { amd64: ['q35*', 'pc-q35*'], arm64: ['virt*'], s390x: ['s390-ccw-virtio*'] },
  cpuModel: 'host-model',
  cpuAllocationRatio: 10,
  memoryOvercommitPercent: 100,
  maxHotplugRatio: 4,
  networkInterface: 'masquerade',
  permitsPodBridge: true,
  evictionStrategy: 'None',
  rolloutStrategy: 'LiveUpdate',
  workloadUpdateMethods: [],
  workloadUpdateBatchSize: 10,
  workloadUpdateBatchIntervalMs: 60_000,
  referencePolicy: 'reference',
  useEmulation: false,
  commonInstancetypes: true,
  featureGates: openByDefault,
  migrations: {
    parallelMigrationsPerCluster: 5,
    parallelOutboundMigrationsPerNode: 2,
    completionTimeoutPerGiB: 150,
    progressTimeout: 150,
    maxDowntimeMs: 900,
    allowAutoConverge: false,
    allowPostCopy: false,
    allowWorkloadDisruption: false,
    disableTLS: false,
  },
  tls: {},
}
