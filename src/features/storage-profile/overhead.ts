/** Share of a volume by storage class, as in CDIConfig. */
interface Overhead {
  readonly global?: string
  readonly storageClass?: Readonly<Record<string, string>>
}

/** Share of a file system that disks must leave free. Zero to one, exclusive of one. Pure. */
export function overheadOf(overhead: Overhead | undefined, storageClass: string | undefined, otherwise: number): number {
  const found = overhead?.storageClass?.[storageClass ?? ''] ?? overhead?.global
  const share = found === undefined ? otherwise : Number(found)
  return Number.isFinite(share) && share >= 0 && share < 1 ? share : otherwise
}

/** Returns the bytes of a volume whose file system leaves room for a disk of `bytes`. Pure. */
export function inflated(bytes: bigint, overhead: number): bigint {
  // Shares have three decimals: numbers would round large sizes.
  const usable = 1000n - BigInt(Math.round(overhead * 1000))
  return (bytes * 1000n + usable - 1n) / usable
}
