import type { Quantity } from '#api/scalars.ts'

/** Memory of a guest. */
export interface Memory {
  /** Backs it with huge pages. */
  hugepages?: Hugepages
  /** How much the guest sees; the requested memory when absent. */
  guest?: Quantity
  /** Most that can be plugged in while the guest runs. */
  maxGuest?: Quantity
  /**
   * Memory that is kept back for the node.
   * @notActedOn
   */
  reservedOverhead?: ReservedOverhead
}

/** Backs memory with huge pages. */
export interface Hugepages {
  /** Size of a page: `2Mi`, `1Gi`. */
  pageSize?: string
}

/** Memory that is kept back besides the guest's own. */
export interface ReservedOverhead {
  /** How much more. */
  addedOverhead?: Quantity
  /** Whether the memory must stay locked: Required or NotRequired. */
  memLock?: string
}

/** Memory of a guest that is in force. */
export interface MemoryStatus {
  /** How much the guest started with. */
  guestAtBoot?: Quantity
  /** How much the guest has. */
  guestCurrent?: Quantity
  /** How much the guest is asked to have. */
  guestRequested?: Quantity
  /** Memory of the VM beyond the guest's memory. */
  memoryOverhead?: Quantity
}
