import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime } from '#api/scalars.ts'

/** Says who holds something, and until when. */
export interface Lease extends ApiObject {
  /** Holder of the lease. */
  spec?: LeaseSpec
}

/** Holder of the lease. */
export interface LeaseSpec {
  /** Identity of the holder; absent or empty when the lease is free. */
  holderIdentity?: string
  /** Seconds after renewTime at which others may take it. */
  leaseDurationSeconds?: Int32
  /** When the holder got it. */
  acquireTime?: MicroTime
  /** When the holder last renewed it. */
  renewTime?: MicroTime
  /** How often it changed hands. */
  leaseTransitions?: Int32
  /** How the holder is chosen. */
  strategy?: string
  /** Whom the holder should hand over to. */
  preferredHolder?: string
}
