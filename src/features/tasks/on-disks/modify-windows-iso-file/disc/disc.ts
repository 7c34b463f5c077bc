/** Bytes of a sector of a disc. */
export const sectorBytes = 2048

/** A disc image that is open. Offsets are in bytes. */
export interface Disc {
  /** Reads exactly as many bytes. @throws DiscDamaged behind the end */
  read(offset: number, length: number): Promise<Buffer>
}

/** Bytes to be written at an offset. */
export interface DiscWrite {
  readonly offset: number
  readonly bytes: Buffer
}

/** A file of a file system of a disc, by its entry in a folder. */
export interface DiscEntry {
  /** Where its content begins. */
  readonly offset: number
  readonly bytes: number
  /** What to write so that its name means the content of another file of the same file system. */
  pointTo(other: DiscEntry): DiscWrite
}

/** A file system of a disc. */
export interface DiscFileSystem {
  /** `UDF`. */
  readonly kind: string
  /** Looks a path up, without regard to case. @throws DiscDamaged */
  find(path: readonly string[]): Promise<DiscEntry | undefined>
}

/** The disc is not what its own structures say. */
export class DiscDamaged extends Error {
  override readonly name = 'DiscDamaged'
}

/** Longest folder that is read: that of an installation has a few hundred entries. */
const largestFolder = 16 * 1024 * 1024

/** Reads a folder's content. @throws DiscDamaged for one that is too long to be one */
export async function readFolder(disc: Disc, offset: number, bytes: number): Promise<Buffer> {
  if (bytes > largestFolder) throw new DiscDamaged(`a folder at byte ${offset} has ${bytes} bytes, which is too many`)
  return disc.read(offset, bytes)
}
