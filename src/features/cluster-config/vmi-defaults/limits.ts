import { quantityFromBytes, type Quantity } from '#apimachinery/quantity.ts'

/** More virtual CPUs than any machine type of QEMU takes. */
export const mostCpus = 4096

/** What 52 address bits reach, 4Pi: more memory cannot be built into any machine. */
export const mostMemory: Quantity = quantityFromBytes(2n ** 52n)

/** How disks may share I/O threads. */
export const ioThreadsPolicies: readonly string[] = ['shared', 'auto', 'supplementalPool']
