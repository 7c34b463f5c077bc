/**
 * Assigns fixed slots on the root bus, in declaration order. The layout is guest-visible: it is
 * recorded at the first start, and a change of the order requires a new layout version.
 */
export interface PciSlots {
  /** `bus=…,addr=…` of the next free slot. */
  next(): string
}

/** A domain needs more devices than its machine has slots for. */
export class TooManyDevices extends Error {
  override readonly name = 'TooManyDevices'
}

/**
 * Slots of a machine. On q35, 0 is the host bridge and 31 the chipset; on i440FX, 1 is the chipset.
 */
export function createPciSlots(machineType: string): PciSlots {
  const isI440 = machineType.startsWith('pc-i440fx-')
  const last = isI440 ? 31 : 30
  let slot = isI440 ? 1 : 0
  return {
    next() {
      slot += 1
      if (slot > last) throw new TooManyDevices(`Cannot place more than 30 PCI devices on the root bus of ${machineType}`)
      return `bus=${isI440 ? 'pci.0' : 'pcie.0'},addr=0x${slot.toString(16)}`
    },
  }
}
