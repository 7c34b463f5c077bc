import type { Import } from './import.ts'
import { hashOf } from '../names.ts'

/** Digits of a digest in the name of an import. */
const digits = 12

/** Longest name of a DataVolume. */
const longest = 253

/** Returns whether names can be made of a digest. Pure. */
export function isDigest(digest: string): boolean {
  return /^(?:sha256|uid):[0-9a-z-]{12,}$/i.test(digest)
}

/** Name of the import of a digest: `fedora-68b44fc891f3`. Pure. */
export function importName(managedDataSource: string, digest: string): string {
  const start = digest.indexOf(':') + 1
  const suffix = digest
    .slice(start, start + digits)
    .toLowerCase()
    .replace(/-+$/, '')
  return `${managedDataSource.slice(0, longest - suffix.length - 1)}-${suffix}`
}

/**
 * Name of the import of a digest on a storage class. The DataSource keeps the image on the former
 * class until that on the new one is complete, so that the two need different names. Pure.
 */
export function wantedName(base: string, storageClass: string | undefined, existing: ReadonlyMap<string, Import>): string {
  const first = existing.get(base)
  const present = first?.claim?.spec?.storageClassName
  if (first?.state !== 'complete' || storageClass === undefined || present === undefined || present === storageClass) return base
  return `${base}-${hashOf(storageClass).slice(0, 4)}`
}
