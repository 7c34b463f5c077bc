import type { DataVolumeSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Time } from '#api/scalars.ts'

/** A claim, and what fills it. */
export interface DataVolume extends ApiObject {
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /** How far that is. */
  status?: DataVolumeStatus
}

/**
 * How far the filling of a volume is.
 * @preserveUnknownFields
 */
export interface DataVolumeStatus {
  /** Name of the claim. */
  claimName?: string
  /** The state in one word. */
  phase?: string
  /** Percentage. */
  progress?: string
  /** How often the pod that fills it was restarted. */
  restartCount?: Int32
  /** The state, by aspect. */
  conditions?: DataVolumeCondition[]
}

/** One aspect of the state of a DataVolume or DataSource. */
export interface DataVolumeCondition {
  /** Name of the aspect. */
  type: string
  /** True, False or Unknown. */
  status: string
  /** When the status changed. */
  lastTransitionTime?: Time
  /** When it was last written. */
  lastHeartbeatTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
