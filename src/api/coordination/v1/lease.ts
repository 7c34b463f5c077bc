import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime } from '#api/scalars.ts'

/** Says who holds something, and until when. */
export interface Lease extends ApiObject {
  /** Who holds it. */
  spec?: LeaseSpec
}

/** Who holds a lease. */
export interface LeaseSpec {
  /** The holder; absent or empty when nobody holds it. */
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
