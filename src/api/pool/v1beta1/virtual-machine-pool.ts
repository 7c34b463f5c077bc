import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachineInstanceReplicaSetCondition } from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector, LabelSelectorRequirement } from '#api/meta/v1/label-selector.ts'
import type { Duration, Int32, IntOrString } from '#api/scalars.ts'

/** Number of VMs that are made from one template. */
export interface VirtualMachinePool extends ApiObject {
  /** Desired VMs. */
  spec: VirtualMachinePoolSpec
  /** Observed VMs. */
  status?: VirtualMachinePoolStatus
}

/** Desired VMs of a pool. */
export interface VirtualMachinePoolSpec {
  /**
   * Number of VMs; 1 when absent.
   * @minimum 0
   */
  replicas?: Int32
  /** Selector of the VMs by their labels. */
  selector: LabelSelector
  /** Template of the VMs. */
  virtualMachineTemplate: VirtualMachineTemplateSpec
  /** Stops the creation and deletion of VMs. */
  paused?: boolean
  /** Names of objects that VMs refer to. */
  nameGeneration?: VirtualMachinePoolNameGeneration
  /** Number or percentage of VMs that may be unavailable during an update. */
  maxUnavailable?: IntOrString
  /** Choice of the VMs that are deleted first. */
  scaleInStrategy?: VirtualMachinePoolScaleInStrategy
  /** Update of VMs after a change of the template. */
  updateStrategy?: VirtualMachinePoolUpdateStrategy
  /** Replacement of VMs that do not start. */
  autohealing?: VirtualMachinePoolAutohealingStrategy
}

/** Template of a VM. */
export interface VirtualMachineTemplateSpec {
  /**
   * Labels and annotations of the VM.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Spec of the VM. */
  spec?: VirtualMachineSpec
}

/** Names of objects that the VMs of a pool refer to. */
export interface VirtualMachinePoolNameGeneration {
  /** Appends the number of the VM to the names of ConfigMaps. */
  appendIndexToConfigMapRefs?: boolean
  /** Appends the number of the VM to the names of Secrets. */
  appendIndexToSecretRefs?: boolean
}

/** Choice of the VMs that are deleted first. One field is set. */
export interface VirtualMachinePoolScaleInStrategy {
  /** VMs are deleted when their number changes. */
  proactive?: VirtualMachinePoolProactiveScaleInStrategy
  /** VMs are deleted once they are shut down. */
  opportunistic?: VirtualMachinePoolOpportunisticScaleInStrategy
  /** VMs are deleted by users. */
  unmanaged?: VirtualMachinePoolUnmanagedStrategy
}

/** Deletion of VMs when their number changes. */
export interface VirtualMachinePoolProactiveScaleInStrategy {
  /** Choice of the VMs. */
  selectionPolicy?: VirtualMachinePoolSelectionPolicy
  /**
   * State of a VM that is kept for its successor.
   * @enum Disabled,Offline,Online
   */
  statePreservation?: string
}

/** Deletion of VMs once they are shut down. */
export interface VirtualMachinePoolOpportunisticScaleInStrategy {
  /**
   * State of a VM that is kept for its successor.
   * @enum Disabled,Offline,Online
   */
  statePreservation?: string
}

/** Strategy without fields. */
export interface VirtualMachinePoolUnmanagedStrategy {}

/** Update of VMs after a change of the template. One field is set. */
export interface VirtualMachinePoolUpdateStrategy {
  /** Running VMs are updated at once. */
  proactive?: VirtualMachinePoolProactiveUpdateStrategy
  /** VMs are updated when they restart. */
  opportunistic?: VirtualMachinePoolOpportunisticUpdateStrategy
  /** VMs are updated by users. */
  unmanaged?: VirtualMachinePoolUnmanagedStrategy
}

/** Update of running VMs at once. */
export interface VirtualMachinePoolProactiveUpdateStrategy {
  /** Choice of the VMs. */
  selectionPolicy?: VirtualMachinePoolSelectionPolicy
}

/** Strategy without fields. */
export interface VirtualMachinePoolOpportunisticUpdateStrategy {}

/** Choice of VMs. */
export interface VirtualMachinePoolSelectionPolicy {
  /**
   * Order of the VMs.
   * @enum AscendingOrder,DescendingOrder,Newest,Oldest,Random
   */
  sortPolicy?: string
  /** VMs that come first. */
  selectors?: VirtualMachinePoolSelectors
}

/** Selectors of VMs. */
export interface VirtualMachinePoolSelectors {
  /** Selector by the labels of the VMs. */
  labelSelector?: LabelSelector
  /** Requirements on the labels of their nodes. */
  nodeSelectorRequirementMatcher?: LabelSelectorRequirement[]
}

/** Replacement of VMs that do not start. */
export interface VirtualMachinePoolAutohealingStrategy {
  /**
   * Failed starts after which a VM is replaced; 3 when absent.
   * @minimum 1
   */
  startUpFailureThreshold?: Int32
  /** Time that a VM must have failed for; 5 minutes when absent. */
  minFailingToStartDuration?: Duration
}

/** Observed VMs of a pool. */
export interface VirtualMachinePoolStatus {
  /** Number of VMs. */
  replicas?: Int32
  /** Number of VMs that are ready. */
  readyReplicas?: Int32
  /**
   * Conditions of the pool.
   * @listType atomic
   */
  conditions?: VirtualMachineInstanceReplicaSetCondition[]
  /** Selector of the VMs, as text. */
  labelSelector?: string
}
