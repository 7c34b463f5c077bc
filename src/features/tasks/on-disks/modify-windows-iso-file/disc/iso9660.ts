import { type Disc, type DiscEntry, type DiscFileSystem, readFolder, sectorBytes } from './disc.ts'

/** Sector of the first volume descriptor. */
const firstDescriptor = 16
/** Most volume descriptors that are read. */
const mostDescriptors = 32
const magic = 'CD001'
/** Types of volume descriptors. */
const types = { boot: 0, primary: 1, supplementary: 2, end: 255 } as const
/** Escape sequences by which a supplementary volume is one of Joliet. */
const jolietEscapes = ['%/@', '%/C', '%/E']
/** In a record: address and size, each in both byte orders. */
const extent = { start: 2, end: 18 } as const
const folderFlag = 2

/** The volume descriptors of a disc, and where the catalog of its boot images is. */
export interface IsoVolumes {
  readonly fileSystems: readonly DiscFileSystem[]
  /** Offset of the boot catalog of El Torito; undefined: the disc does not boot. */
  readonly bootCatalog: number | undefined
}

/** Reads the volumes of ISO 9660. Undefined for a disc that has none. @throws DiscDamaged */
export async function readIsoVolumes(disc: Disc): Promise<IsoVolumes | undefined> {
  const fileSystems: DiscFileSystem[] = []
  let bootCatalog: number | undefined
  for (let index = 0; index < mostDescriptors; index++) {
    const descriptor = await disc.read((firstDescriptor + index) * sectorBytes, sectorBytes)
    if (descriptor.toString('latin1', 1, 6) !== magic) return index === 0 ? undefined : { fileSystems, bootCatalog }
    const type = descriptor[0]
    if (type === types.end) break
    if (type === types.boot && descriptor.toString('latin1', 7, 30) === 'EL TORITO SPECIFICATION')
      bootCatalog = descriptor.readUInt32LE(71) * sectorBytes
    if (type === types.primary) fileSystems.push(fileSystemOf(disc, descriptor, 'ISO 9660', primaryName))
    if (type === types.supplementary && jolietEscapes.includes(descriptor.toString('latin1', 88, 91)))
      fileSystems.push(fileSystemOf(disc, descriptor, 'Joliet', jolietName))
  }
  return { fileSystems, bootCatalog }
}

type NameOf = (bytes: Buffer) => string

const primaryName: NameOf = (bytes) => withoutVersion(bytes.toString('latin1'))
const jolietName: NameOf = (bytes) =>
  withoutVersion(
    Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le'),
  )

/** `SETUP.EXE;1` is `setup.exe`, and a file without extension may end in a dot. */
function withoutVersion(name: string): string {
  return name
    .replace(/;\d+$/, '')
    .replace(/(.)\.$/, '$1')
    .toLowerCase()
}

/** A record of a folder. */
interface IsoRecord {
  readonly name: string
  /** Where the record is on the disc. */
  readonly at: number
  readonly bytes: Buffer
  readonly isFolder: boolean
}

/** A file with its record. */
interface IsoEntry extends DiscEntry {
  readonly record: Buffer
}

function fileSystemOf(disc: Disc, descriptor: Buffer, kind: string, nameOf: NameOf): DiscFileSystem {
  const root = descriptor.subarray(156, 190)
  return {
    kind,
    async find(path) {
      let folder = root
      for (const [depth, name] of path.entries()) {
        const isLast = depth === path.length - 1
        const { offset, bytes } = placeOf(folder)
        const records = recordsOf(await readFolder(disc, offset, bytes), offset, nameOf)
        const found = records.find((record) => record.name === name.toLowerCase() && record.isFolder === !isLast)
        if (found === undefined) return undefined
        if (isLast) return entryOf(found)
        folder = found.bytes
      }
      return undefined
    },
  }
}

function placeOf(record: Buffer): { readonly offset: number; readonly bytes: number } {
  return { offset: record.readUInt32LE(2) * sectorBytes, bytes: record.readUInt32LE(10) }
}

function entryOf({ at, bytes }: IsoRecord): IsoEntry {
  return {
    ...placeOf(bytes),
    record: bytes,
    pointTo: (other) => ({ offset: at + extent.start, bytes: (other as IsoEntry).record.subarray(extent.start, extent.end) }),
  }
}

/** Records do not cross sectors: the rest of one is zeros. Pure. */
function recordsOf(folder: Buffer, offset: number, nameOf: NameOf): readonly IsoRecord[] {
  const records: IsoRecord[] = []
  for (let at = 0; at < folder.length;) {
    const length = folder[at] ?? 0
    const bytes = folder.subarray(at, at + length)
    if (length < 34 || bytes.length < length) {
      at = (Math.floor(at / sectorBytes) + 1) * sectorBytes
      continue
    }
    const name = nameOf(bytes.subarray(33, 33 + (bytes[32] ?? 0)))
    records.push({ name, at: offset + at, bytes, isFolder: ((bytes[25] ?? 0) & folderFlag) !== 0 })
    at += length
  }
  return records
}
