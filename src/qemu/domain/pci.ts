/**
 * Hands out fixed slots on the root bus, in the order in which devices are declared. The layout is part of what a guest sees:
 * it is recorded at the first start and a change of the order here must come with a new layout version.
 */
export interface PciSlots {
  /** `bus=…,addr=…` of the next free slot. */
  next(): string
}

/** Slot 0 is the host bridge and 31 the chipset's own devices. */
export function createPciSlots(): PciSlots {
  let slot = 0
  return {
    next() {
      slot += 1
      if (slot > 30) throw new RangeError('Cannot place more than 30 PCI devices on the root bus')
      return `bus=pcie.0,addr=0x${slot.toString(16)}`
    },
  }
}
