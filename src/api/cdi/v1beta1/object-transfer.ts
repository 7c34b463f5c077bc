import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { CdiCondition } from './cdi-condition.ts'

/** Transfer of a claim or a DataVolume to another namespace. */
export interface ObjectTransfer extends ApiObject {
  /** Source and target. */
  spec: ObjectTransferSpec
  /** Observed state. */
  status?: ObjectTransferStatus
}

/** Source and target of a transfer. */
export interface ObjectTransferSpec {
  /** Object that is transferred. */
  source: TransferSource
  /** Where to. */
  target: TransferTarget
  /** Name of the ObjectTransfer that this one is a part of. */
  parentName?: string
}

/** Object that is transferred. */
export interface TransferSource {
  /** API version of the object. */
  apiVersion?: string
  /** Kind of the object. */
  kind: string
  /** Namespace of the object. */
  namespace: string
  /** Name of the object. */
  name: string
  /** Annotations that the object must have. */
  requiredAnnotations?: Record<string, string>
}

/** Target of a transfer. */
export interface TransferTarget {
  /** Namespace of the target. */
  namespace?: string
  /** Name of the target. */
  name?: string
}

/**
 * Observed state of a transfer.
 * @preserveUnknownFields
 */
export interface ObjectTransferStatus {
  /** State of the transfer between its steps. */
  data?: Record<string, string>
  /** Phase of the transfer. */
  phase?: string
  /** Conditions of the transfer. */
  conditions?: CdiCondition[]
}
