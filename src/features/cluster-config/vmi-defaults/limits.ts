import { quantityFromBytes, type Quantity } from '#apimachinery/quantity.ts'

/** More virtual CPUs than any machine type of QEMU supports. */
export const mostCpus = 4096

/** The range of 52 address bits, 4Pi: no machine can have more memory. */
export const mostMemory: Quantity = quantityFromBytes(2n ** 52n)

/** Policies for sharing I/O threads between disks. */
export const ioThreadsPolicies: readonly string[] = ['shared', 'auto', 'supplementalPool']
