import type { Int32, Quantity, RawObject, Time } from '#api/scalars.ts'

/** Progress of a migration. */
export interface VirtualMachineInstanceMigrationState {
  /**
   * When it began.
   * @nullable
   */
  startTimestamp?: Time | null
  /**
   * When it ended.
   * @nullable
   */
  endTimestamp?: Time | null
  /** When the target had the guest. */
  targetNodeDomainReadyTimestamp?: Time
  /** Whether the target has seen the guest. */
  targetNodeDomainDetected?: boolean
  /** Address of the target. */
  targetNodeAddress?: string
  /** Ports of the target. */
  targetDirectMigrationNodePorts?: Record<string, Int32>
  /** Node that the guest goes to. */
  targetNode?: string
  /** Pod that the guest goes to. */
  targetPod?: string
  /** Pod that attaches volumes at the target. */
  targetAttachmentPodUID?: string
  /** Node that the guest comes from. */
  sourceNode?: string
  /** Pod that the guest comes from. */
  sourcePod?: string
  /** Whether it is over. */
  completed?: boolean
  /** Whether it failed. */
  failed?: boolean
  /** Whether cancellation was requested. */
  abortRequested?: boolean
  /** Succeeded, Failed or Aborting. */
  abortStatus?: string
  /** Why it failed. */
  failureReason?: string
  /** UID of the migration object. */
  migrationUid?: string
  /** PreCopy, PostCopy or Paused. */
  mode?: string
  /** Name of the policy in force. */
  migrationPolicyName?: string
  /** Settings in force. */
  migrationConfiguration?: RawObject
  /**
   * Physical processors at the target.
   * @listType atomic
   */
  targetCPUSet?: Int32[]
  /** NUMA topology at the target. */
  targetNodeTopology?: string
  /** Claim with the state of devices at the source. */
  sourcePersistentStatePVCName?: string
  /** Claim with the state of devices at the target. */
  targetPersistentStatePVCName?: string
  /** State published by the source node. */
  sourceState?: VirtualMachineInstanceMigrationSourceState
  /** State published by the target node. */
  targetState?: VirtualMachineInstanceMigrationTargetState
  /** Pod or Migration. */
  migrationNetworkType?: string
  /** Memory of the target beyond the guest's memory. */
  targetMemoryOverhead?: Quantity
}

/** State published by both nodes of a migration. */
export interface VirtualMachineInstanceCommonMigrationState {
  /** The node. */
  node?: string
  /** The pod. */
  pod?: string
  /** UID of the migration object. */
  migrationUID?: string
  /** Name of the guest on the node. */
  domainName?: string
  /** Namespace of the guest on the node. */
  domainNamespace?: string
  /** Where to synchronize. */
  syncAddress?: string
  /** Claim with the state of devices. */
  persistentStatePVCName?: string
  /** SELinux label of the pod. */
  selinuxContext?: string
  /** UID of the guest object. */
  virtualMachineInstanceUID?: string
}

/** State published by the source node of a migration. */
export interface VirtualMachineInstanceMigrationSourceState extends VirtualMachineInstanceCommonMigrationState {
  /** Labels that the target node must have. */
  nodeSelectors?: Record<string, string>
  /** Ours: what the target needs to know. */
  steadyvm?: MigrationSourceWord
}

/** State published by the target node of a migration. */
export interface VirtualMachineInstanceMigrationTargetState extends VirtualMachineInstanceCommonMigrationState {
  /** When it had the guest. */
  domainReadyTimestamp?: Time
  /** Whether it has seen the guest. */
  domainDetected?: boolean
  /** Its address. */
  nodeAddress?: string
  /** Its ports. */
  directMigrationNodePorts?: Record<string, Int32>
  /** Pod that attaches volumes. */
  attachmentPodUID?: string
  /**
   * Physical processors.
   * @listType atomic
   */
  cpuSet?: Int32[]
  /** NUMA topology. */
  nodeTopology?: string
  /** Ours: what the source needs to know. */
  steadyvm?: MigrationTargetWord
}

/** State of the source that the target needs. */
export interface MigrationSourceWord {
  /** Launch record of the guest, as JSON. */
  launch?: string
  /** The source has let go of the guest, which is whole at the target. */
  released?: boolean
  /** The source's QEMU has ended. */
  gone?: boolean
  /**
   * The target has not made the guest its own in time, and must not any more: it goes on at the
   * source.
   */
  revoked?: boolean
}

/** State of the target that the source needs. */
export interface MigrationTargetWord {
  /** Why there is no QEMU at the target, or none any more. */
  gone?: string
  /** The target's kernel does not let a guest run before all of its memory is there. */
  withoutPostCopy?: boolean
  /** Streams that the target takes memory by, at a time. Absent: one. */
  channels?: Int32
}
