import type { Quantity } from '#api/scalars.ts'

/** Compute resources of a guest. */
export interface ResourceRequirements {
  /** Requested amounts: `memory`, `cpu`. */
  requests?: Record<string, Quantity>
  /** Maximum amounts: `memory`, `cpu`. */
  limits?: Record<string, Quantity>
  /**
   * Leaves the memory of the VM in addition to the guest's memory (overhead) out of the memory
   * request.
   */
  overcommitGuestOverhead?: boolean
}
