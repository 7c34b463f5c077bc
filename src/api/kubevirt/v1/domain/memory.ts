import type { Quantity } from '#api/scalars.ts'

/** Memory of a guest. */
export interface Memory {
  /** Huge pages as backing of the guest's memory. */
  hugepages?: Hugepages
  /** Size of the guest's memory; the requested memory when absent. */
  guest?: Quantity
  /** Maximum size of the guest's memory after memory hotplug. */
  maxGuest?: Quantity
  /**
   * Memory that is reserved in addition to the guest's memory.
   * @notActedOn
   */
  reservedOverhead?: ReservedOverhead
}

/** Huge pages as backing of the guest's memory. */
export interface Hugepages {
  /** Size of a huge page, such as `2Mi` or `1Gi`. */
  pageSize?: string
}

/** Memory that is reserved in addition to the guest's memory. */
export interface ReservedOverhead {
  /** Amount of additional memory. */
  addedOverhead?: Quantity
  /**
   * Requirement for locked memory.
   * @enum NotRequired,Required
   */
  memLock?: string
}

/** Current memory of a guest. */
export interface MemoryStatus {
  /** Size of the guest's memory at boot. */
  guestAtBoot?: Quantity
  /** Current size of the guest's memory. */
  guestCurrent?: Quantity
  /** Requested size of the guest's memory. */
  guestRequested?: Quantity
  /** Memory of the VM in addition to the guest's memory. */
  memoryOverhead?: Quantity
}
