import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Time } from '#api/scalars.ts'
import type { VirtualMachineInstanceTemplateSpec } from './virtual-machine-instance.ts'

/** Number of VMIs that are made from one template. */
export interface VirtualMachineInstanceReplicaSet extends ApiObject {
  /** Desired VMIs. */
  spec: VirtualMachineInstanceReplicaSetSpec
  /**
   * Observed VMIs.
   * @nullable
   */
  status?: VirtualMachineInstanceReplicaSetStatus | null
}

/** Desired VMIs of a replica set. */
export interface VirtualMachineInstanceReplicaSetSpec {
  /** Number of VMIs; 1 when absent. */
  replicas?: Int32
  /** Selector of the VMIs by their labels. */
  selector: LabelSelector
  /** Template of the VMIs. */
  template: VirtualMachineInstanceTemplateSpec
  /** Stops the creation and deletion of VMIs. */
  paused?: boolean
}

/** Observed VMIs of a replica set. */
export interface VirtualMachineInstanceReplicaSetStatus {
  /** Number of VMIs that are not final. */
  replicas?: Int32
  /** Number of VMIs that are ready. */
  readyReplicas?: Int32
  /** Conditions of the replica set. */
  conditions?: VirtualMachineInstanceReplicaSetCondition[]
  /** Selector of the VMIs, as text. */
  labelSelector?: string
}

/** Condition of a replica set or a pool. */
export interface VirtualMachineInstanceReplicaSetCondition {
  /** Type of the condition: ReplicaFailure or ReplicaPaused. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /**
   * Time of the last check of the condition.
   * @nullable
   */
  lastProbeTime?: Time | null
  /**
   * Time of the last change of the status.
   * @nullable
   */
  lastTransitionTime?: Time | null
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}
