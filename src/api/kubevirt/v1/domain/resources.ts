import type { Quantity } from '#api/scalars.ts'

/** Compute resources of a guest. */
export interface ResourceRequirements {
  /** Requested amounts: `memory`, `cpu`. */
  requests?: Record<string, Quantity>
  /** Most that may be used: `memory`, `cpu`. */
  limits?: Record<string, Quantity>
  /** Leaves what the machine needs besides the guest's memory out of the request. */
  overcommitGuestOverhead?: boolean
}
