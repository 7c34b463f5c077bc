import { type Disc, DiscDamaged, type DiscWrite, sectorBytes } from './disc.ts'

const entryBytes = 32
/** Platform of boot images for EFI. */
const efi = 0xef
const headers = { validation: 1, section: 0x90, lastSection: 0x91 } as const
const bootable = 0x88

/** An entry of the boot catalog for EFI. */
export interface BootEntry {
  /** Where the boot image begins. */
  readonly offset: number
  /** What to write so that it is the image at another offset: a part of one sector. */
  pointTo(offset: number): DiscWrite
}

/**
 * Reads the entries for EFI of a boot catalog, by the specification El Torito. @throws DiscDamaged
 */
export async function readEfiEntries(disc: Disc, catalog: number): Promise<readonly BootEntry[]> {
  const table = await disc.read(catalog, sectorBytes)
  if (table[0] !== headers.validation || table.readUInt16LE(30) !== 0xaa55) throw new DiscDamaged('its boot catalog is not valid')
  const entries = table[1] === efi ? [entryBytes] : []
  for (let at = 2 * entryBytes; at < table.length;) {
    const kind = table[at]
    if (kind !== headers.section && kind !== headers.lastSection) break
    const count = table.readUInt16LE(at + 2)
    const own = Array.from({ length: count }, (_, index) => at + (index + 1) * entryBytes)
    if (table[at + 1] === efi) entries.push(...own)
    at += (count + 1) * entryBytes
    if (kind === headers.lastSection) break
  }
  return entries.filter((at) => at < table.length && table[at] === bootable).map((at) => entryOf(table, catalog, at))
}

function entryOf(table: Buffer, catalog: number, at: number): BootEntry {
  return {
    offset: table.readUInt32LE(at + 8) * sectorBytes,
    pointTo(offset) {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(offset / sectorBytes)
      return { offset: catalog + at + 8, bytes }
    },
  }
}
