import type { Int32, Quantity, Time } from '#api/scalars.ts'
import type { MigrationExperimentalConfiguration } from '#api/migrations/v1alpha1/migration-experiments.ts'
import type { MigrationConfiguration } from './kubevirt.ts'

/** State of a migration. */
export interface VirtualMachineInstanceMigrationState {
  /**
   * Time at which the migration started.
   * @nullable
   */
  startTimestamp?: Time | null
  /**
   * Time at which the migration ended.
   * @nullable
   */
  endTimestamp?: Time | null
  /** Time at which the guest was ready on the target node. */
  targetNodeDomainReadyTimestamp?: Time
  /** True if the target node has detected the guest. */
  targetNodeDomainDetected?: boolean
  /** Address of the target node. */
  targetNodeAddress?: string
  /** Ports of the target node for the migration. */
  targetDirectMigrationNodePorts?: Record<string, Int32>
  /** Name of the node that the guest is migrated to. */
  targetNode?: string
  /** Name of the pod that the guest is migrated to. */
  targetPod?: string
  /** UID of the pod that attaches volumes on the target node. */
  targetAttachmentPodUID?: string
  /** Name of the node that the guest is migrated from. */
  sourceNode?: string
  /** Name of the pod that the guest is migrated from. */
  sourcePod?: string
  /** True if the migration has ended. */
  completed?: boolean
  /** True if the migration failed. */
  failed?: boolean
  /** True if the cancellation of the migration was requested. */
  abortRequested?: boolean
  /** Status of the cancellation: Succeeded, Failed or Aborting. */
  abortStatus?: string
  /** Reason for the failure of the migration. */
  failureReason?: string
  /** UID of the VirtualMachineInstanceMigration. */
  migrationUid?: string
  /** Mode of the migration: PreCopy, PostCopy or Paused. */
  mode?: string
  /** Name of the MigrationPolicy that applies. */
  migrationPolicyName?: string
  /** Migration settings that apply. */
  migrationConfiguration?: AppliedMigrationConfiguration
  /**
   * Physical CPUs for the guest on the target node.
   * @listType atomic
   */
  targetCPUSet?: Int32[]
  /** NUMA topology of the target node. */
  targetNodeTopology?: string
  /** PersistentVolumeClaim with the state of devices at the source. */
  sourcePersistentStatePVCName?: string
  /** PersistentVolumeClaim with the state of devices at the target. */
  targetPersistentStatePVCName?: string
  /** State published by the source node. */
  sourceState?: VirtualMachineInstanceMigrationSourceState
  /** State published by the target node. */
  targetState?: VirtualMachineInstanceMigrationTargetState
  /** Type of the migration network: Pod or Migration. */
  migrationNetworkType?: string
  /** Memory of the target pod in addition to the guest's memory. */
  targetMemoryOverhead?: Quantity
}

/** State published by both nodes of a migration. */
export interface VirtualMachineInstanceCommonMigrationState {
  /** Name of the node. */
  node?: string
  /** Name of the pod. */
  pod?: string
  /** UID of the VirtualMachineInstanceMigration. */
  migrationUID?: string
  /** Domain name of the guest on the node. */
  domainName?: string
  /** Domain namespace of the guest on the node. */
  domainNamespace?: string
  /** Address for the synchronization between clusters. */
  syncAddress?: string
  /** PersistentVolumeClaim with the state of devices. */
  persistentStatePVCName?: string
  /** SELinux label of the pod. */
  selinuxContext?: string
  /** UID of the VMI. */
  virtualMachineInstanceUID?: string
}

/** State published by the source node of a migration. */
export interface VirtualMachineInstanceMigrationSourceState extends VirtualMachineInstanceCommonMigrationState {
  /** Labels that the target node must have. */
  nodeSelectors?: Record<string, string>
  /** State that steadyvm adds for the target node. */
  steadyvm?: MigrationSourceWord
}

/** State published by the target node of a migration. */
export interface VirtualMachineInstanceMigrationTargetState extends VirtualMachineInstanceCommonMigrationState {
  /** Time at which the guest was ready on the target node. */
  domainReadyTimestamp?: Time
  /** True if the target node has detected the guest. */
  domainDetected?: boolean
  /** Address of the target node. */
  nodeAddress?: string
  /** Ports of the target node for the migration. */
  directMigrationNodePorts?: Record<string, Int32>
  /** UID of the pod that attaches volumes. */
  attachmentPodUID?: string
  /**
   * Physical CPUs for the guest.
   * @listType atomic
   */
  cpuSet?: Int32[]
  /** NUMA topology of the target node. */
  nodeTopology?: string
  /** State that steadyvm adds for the source node. */
  steadyvm?: MigrationTargetWord
}

/** State of the source node that the target node needs. */
export interface MigrationSourceWord {
  /** Launch record of the guest, as JSON. */
  launch?: string
  /** True if the source has released the guest, which is complete at the target. */
  released?: boolean
  /** True if the QEMU process at the source has ended. */
  gone?: boolean
  /**
   * True if the target did not take ownership of the guest in time, and must not take it any more.
   * The guest continues to run at the source.
   */
  revoked?: boolean
}

/** State of the target node that the source node needs. */
export interface MigrationTargetWord {
  /** Reason why the target has no QEMU process, or has none any more. */
  gone?: string
  /**
   * True if the kernel of the target node does not allow the guest to run before all of its memory
   * is copied (post-copy).
   */
  withoutPostCopy?: boolean
  /**
   * Number of parallel streams over which the target receives the guest's memory; 1 when absent.
   */
  channels?: Int32
}

/** Settings of a migration, of the KubeVirt object and of the MigrationPolicy. */
export interface AppliedMigrationConfiguration extends MigrationConfiguration {
  /** Settings that may change in any version. */
  experimental?: MigrationExperimentalConfiguration
}
