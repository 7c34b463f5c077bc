import type { DataVolumeSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Time } from '#api/scalars.ts'

/** PersistentVolumeClaim and the source of its data. */
export interface DataVolume extends ApiObject {
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /** Progress of the population of the volume. */
  status?: DataVolumeStatus
}

/**
 * Progress of the population of a volume.
 * @preserveUnknownFields
 */
export interface DataVolumeStatus {
  /** Name of the PersistentVolumeClaim. */
  claimName?: string
  /** Phase of the DataVolume, as one word. */
  phase?: string
  /** Progress of the population, in percent. */
  progress?: string
  /** Number of restarts of the pod that populates the volume. */
  restartCount?: Int32
  /** Conditions of the DataVolume. */
  conditions?: DataVolumeCondition[]
}

/** Condition of a DataVolume or DataSource. */
export interface DataVolumeCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last change of the status. */
  lastTransitionTime?: Time
  /** Time of the last update of the condition. */
  lastHeartbeatTime?: Time
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}
