import { crc16 } from './crc16.ts'
import { type Disc, DiscDamaged, type DiscEntry, type DiscFileSystem, readFolder, sectorBytes } from './disc.ts'

/** Identifiers of descriptors, in their tags. */
const tags = {
  anchor: 2,
  partition: 5,
  logicalVolume: 6,
  end: 8,
  fileSet: 256,
  fileIdentifier: 257,
  fileEntry: 261,
  extendedFileEntry: 266,
} as const
const tagBytes = 16
/** Sector of the anchor. */
const anchorSector = 256
/** Most descriptors of a volume that are read. */
const mostDescriptors = 64
/** In a file identifier: where the entry of the file is. */
const entryReference = { start: 20, end: 36 } as const
const flags = { folder: 2, deleted: 4, parent: 8 } as const

/** A volume: where its only partition begins, and its set of files. */
interface Volume {
  readonly partition: number
  readonly fileSet: number
}

/** Content of a file, as runs of bytes on the disc. */
interface UdfFile {
  readonly bytes: number
  readonly runs: readonly { readonly offset: number; readonly bytes: number }[]
}

/** A name in a folder. */
interface UdfName {
  readonly name: string
  readonly isFolder: boolean
  /** The identifier, and its place in the folder's content. */
  readonly identifier: Buffer
  readonly at: number
}

/** A file with the identifier that names it. */
interface UdfEntry extends DiscEntry {
  readonly identifier: Buffer
}

/** Reads the UDF of a disc. Undefined for a disc without one. @throws DiscDamaged */
export async function readUdf(disc: Disc): Promise<DiscFileSystem | undefined> {
  const anchor = await disc.read(anchorSector * sectorBytes, sectorBytes).catch(() => undefined)
  if (anchor === undefined || !hasTag(anchor, tags.anchor)) return undefined
  const volume = await readVolume(disc, anchor.readUInt32LE(20) * sectorBytes, anchor.readUInt32LE(16))
  const at = (block: number): number => volume.partition + block * sectorBytes
  const set = await disc.read(at(volume.fileSet), sectorBytes)
  requireTag(set, tags.fileSet, 'set of files')
  const root = set.readUInt32LE(404)
  return {
    kind: 'UDF',
    async find(path) {
      let block = root
      for (const [depth, name] of path.entries()) {
        const isLast = depth === path.length - 1
        const folder = await readFile(disc, at, block)
        const content = await contentOf(disc, folder)
        const found = namesOf(content).find((each) => each.name.toLowerCase() === name.toLowerCase() && each.isFolder === !isLast)
        if (found === undefined) return undefined
        block = found.identifier.readUInt32LE(entryReference.start + 4)
        if (isLast) return entryOf(await readFile(disc, at, block), found, folder)
      }
      return undefined
    },
  }
}

async function readVolume(disc: Disc, offset: number, bytes: number): Promise<Volume> {
  let partition: number | undefined
  let fileSet: number | undefined
  const count = Math.min(mostDescriptors, Math.floor(bytes / sectorBytes))
  for (let index = 0; index < count; index++) {
    const descriptor = await disc.read(offset + index * sectorBytes, sectorBytes)
    if (hasTag(descriptor, tags.end)) break
    if (hasTag(descriptor, tags.partition)) partition ??= descriptor.readUInt32LE(188) * sectorBytes
    if (!hasTag(descriptor, tags.logicalVolume)) continue
    if (descriptor.readUInt32LE(212) !== sectorBytes) throw new DiscDamaged(`its UDF has blocks of ${descriptor.readUInt32LE(212)} bytes`)
    if (descriptor.readUInt32LE(268) !== 1 || descriptor[440] !== 1)
      throw new DiscDamaged('its UDF has several partitions, or one with metadata, which no installation disc has')
    fileSet ??= descriptor.readUInt32LE(252)
  }
  if (partition === undefined || fileSet === undefined) throw new DiscDamaged('its UDF has no volume')
  return { partition, fileSet }
}

/** Reads the entry of a file. Installation discs have files of few pieces, in one list. */
async function readFile(disc: Disc, at: (block: number) => number, block: number): Promise<UdfFile> {
  const entry = await disc.read(at(block), sectorBytes)
  const isExtended = hasTag(entry, tags.extendedFileEntry)
  if (!isExtended) requireTag(entry, tags.fileEntry, 'entry of a file')
  const lengths = isExtended ? 208 : 168
  const start = lengths + 8 + entry.readUInt32LE(lengths)
  const length = entry.readUInt32LE(lengths + 4)
  if (start + length > entry.length) throw new DiscDamaged(`the entry of a file in block ${block} is too long`)
  const list = entry.subarray(start, start + length)
  const bytes = Number(entry.readBigUInt64LE(56))
  switch (entry.readUInt16LE(34) & 7) {
    case 0:
      return { bytes, runs: runsOf(list, 8, at) }
    case 1:
      return { bytes, runs: runsOf(list, 16, at) }
    case 3:
      return { bytes, runs: [{ offset: at(block) + start, bytes: length }] }
    default:
      throw new DiscDamaged(`the entry of a file in block ${block} lists its pieces in a way that is not known`)
  }
}

function runsOf(list: Buffer, size: 8 | 16, at: (block: number) => number): UdfFile['runs'] {
  const runs = []
  for (let each = 0; each + size <= list.length; each += size) {
    const length = list.readUInt32LE(each)
    if (length === 0) break
    if (length >>> 30 !== 0) throw new DiscDamaged('a file has pieces that are not recorded, or a list of pieces that goes on elsewhere')
    runs.push({ offset: at(list.readUInt32LE(each + 4)), bytes: length })
  }
  return runs
}

async function contentOf(disc: Disc, { runs }: UdfFile): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const { offset, bytes } of runs) parts.push(await readFolder(disc, offset, bytes))
  return Buffer.concat(parts)
}

function namesOf(folder: Buffer): readonly UdfName[] {
  const names: UdfName[] = []
  for (let at = 0; at + 38 <= folder.length;) {
    const head = folder.subarray(at)
    if (!hasTag(head, tags.fileIdentifier)) break
    const nameBytes = head[19] ?? 0
    const nameAt = 38 + head.readUInt16LE(36)
    const length = (nameAt + nameBytes + 3) & ~3
    if (length > head.length) break
    const kind = head[18] ?? 0
    const identifier = head.subarray(0, length)
    if ((kind & (flags.deleted | flags.parent)) === 0)
      names.push({ name: textOf(head.subarray(nameAt, nameAt + nameBytes)), isFolder: (kind & flags.folder) !== 0, identifier, at })
    at += length
  }
  return names
}

/** A name of OSTA: its first byte says how many bits a character has. */
function textOf(bytes: Buffer): string {
  const text = bytes.subarray(1)
  if (bytes[0] !== 16) return text.toString('latin1')
  return Buffer.from(text.subarray(0, text.length & ~1))
    .swap16()
    .toString('utf16le')
}

function entryOf({ bytes, runs }: UdfFile, { identifier, at }: UdfName, folder: UdfFile): UdfEntry {
  const [first, ...others] = runs
  if (first === undefined || others.some(({ offset }, index) => offset !== (runs[index]?.offset ?? 0) + (runs[index]?.bytes ?? 0)))
    throw new DiscDamaged('a boot file is in several pieces')
  return {
    offset: first.offset,
    bytes,
    identifier,
    pointTo(other) {
      const changed = Buffer.from(identifier)
      ;(other as UdfEntry).identifier.copy(changed, entryReference.start, entryReference.start, entryReference.end)
      return { offset: placeIn(folder, at, identifier.length), bytes: retagged(changed) }
    },
  }
}

/** Where a part of a folder's content is on the disc. */
function placeIn({ runs }: UdfFile, at: number, length: number): number {
  let before = 0
  for (const { offset, bytes } of runs) {
    if (at >= before && at + length <= before + bytes) return offset + at - before
    before += bytes
  }
  throw new DiscDamaged('the name of a boot file lies in two pieces of its folder')
}

/** Corrects the checksums of a descriptor that was changed. */
function retagged(descriptor: Buffer): Buffer {
  const length = descriptor.readUInt16LE(10)
  descriptor.writeUInt16LE(crc16(descriptor.subarray(tagBytes, tagBytes + length)), 8)
  descriptor[4] = tagChecksum(descriptor)
  return descriptor
}

function tagChecksum(descriptor: Buffer): number {
  return descriptor.subarray(0, tagBytes).reduce((sum, byte, index) => (index === 4 ? sum : (sum + byte) & 0xff), 0)
}

function hasTag(descriptor: Buffer, identifier: number): boolean {
  return descriptor.readUInt16LE(0) === identifier && descriptor[4] === tagChecksum(descriptor)
}

function requireTag(descriptor: Buffer, identifier: number, what: string): void {
  if (!hasTag(descriptor, identifier)) throw new DiscDamaged(`its UDF has no ${what} where it should be`)
}
