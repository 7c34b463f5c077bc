import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime } from '#api/scalars.ts'

/** Lease with a holder and a duration. */
export interface Lease extends ApiObject {
  /** Holder and duration of the lease. */
  spec?: LeaseSpec
}

/** Holder and duration of a lease. */
export interface LeaseSpec {
  /** Identity of the holder; absent or empty when the lease is free. */
  holderIdentity?: string
  /** Seconds after renewTime at which another candidate may acquire the lease. */
  leaseDurationSeconds?: Int32
  /** Time when the holder acquired the lease. */
  acquireTime?: MicroTime
  /** Time when the holder last renewed the lease. */
  renewTime?: MicroTime
  /** Number of changes of the holder. */
  leaseTransitions?: Int32
  /** Strategy for selecting the holder. */
  strategy?: string
  /** Identity of the candidate that the holder should transfer the lease to. */
  preferredHolder?: string
}
