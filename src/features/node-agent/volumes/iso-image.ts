/** File in the root directory of an image. */
export interface IsoFile {
  readonly name: string
  readonly content: Buffer
}

const sector = 2048
const firstDescriptor = 16

/** Volume descriptor with its directory, in plain ISO 9660 or in Joliet, which has long names. */
interface Tree {
  readonly joliet: boolean
  readonly pathTableLittle: number
  readonly pathTableBig: number
  readonly directory: number
}

const plain: Tree = { joliet: false, pathTableLittle: 19, pathTableBig: 20, directory: 23 }
const joliet: Tree = { joliet: true, pathTableLittle: 21, pathTableBig: 22, directory: 24 }
const firstFile = 25

/** Reports whether files fit into one image: their names into one directory sector. */
export function fitsIsoImage(files: readonly IsoFile[]): boolean {
  // Two entries for the directory itself, and one per file in UCS-2.
  const bytes = files.reduce((sum, { name }) => sum + 34 + 2 * name.length, 2 * 34)
  return bytes <= sector && files.every(({ name }) => name.length <= 64)
}

/**
 * Builds a CD image (ISO 9660 with Joliet) with files in its root directory. For limits
 * see {@link fitsIsoImage}. Deterministic.
 */
export function makeIsoImage(label: string, files: readonly IsoFile[]): Buffer {
  const starts: number[] = []
  let next = firstFile
  for (const { content } of files) {
    starts.push(next)
    next += Math.max(1, Math.ceil(content.length / sector))
  }
  const image = Buffer.alloc(next * sector)
  const at = (index: number): Buffer => image.subarray(index * sector, (index + 1) * sector)
  writeDescriptorInto(at(firstDescriptor), label, plain, next)
  writeDescriptorInto(at(firstDescriptor + 1), label, joliet, next)
  at(firstDescriptor + 2).write('\xffCD001\x01', 'latin1')
  for (const tree of [plain, joliet]) {
    writePathTableInto(at(tree.pathTableLittle), tree.directory, 'little')
    writePathTableInto(at(tree.pathTableBig), tree.directory, 'big')
    writeDirectoryInto(at(tree.directory), tree, files, starts)
  }
  for (const [index, { content }] of files.entries()) content.copy(image, (starts[index] ?? 0) * sector)
  return image
}

function writeDescriptorInto(target: Buffer, label: string, tree: Tree, sectors: number): void {
  target.writeUInt8(tree.joliet ? 2 : 1, 0)
  target.write('CD001\x01', 1, 'latin1')
  const blank = encode('', 32, tree.joliet)
  blank.copy(target, 8)
  encode(label, 32, tree.joliet).copy(target, 40)
  writeBothInto(target, 80, sectors)
  // Escape sequence of UCS-2 level 3.
  if (tree.joliet) target.write('%/E', 88, 'latin1')
  for (const offset of [120, 124]) writeBothShortInto(target, offset, 1)
  writeBothShortInto(target, 128, sector)
  writeBothInto(target, 132, 10)
  target.writeUInt32LE(tree.pathTableLittle, 140)
  target.writeUInt32BE(tree.pathTableBig, 148)
  record(Buffer.from([0]), { start: tree.directory, length: sector, isDirectory: true }).copy(target, 156)
  // Publisher, application and other identifiers: blank.
  encode('', 622, tree.joliet).copy(target, 190)
  // Unset times: sixteen zeros and the time zone.
  for (const offset of [813, 830, 847, 864]) target.write('0000000000000000', offset, 'latin1')
  target.writeUInt8(1, 881)
}

/** The path table has one entry, the root directory. */
function writePathTableInto(target: Buffer, directory: number, order: 'little' | 'big'): void {
  target.writeUInt8(1, 0)
  if (order === 'little') target.writeUInt32LE(directory, 2)
  else target.writeUInt32BE(directory, 2)
  if (order === 'little') target.writeUInt16LE(1, 6)
  else target.writeUInt16BE(1, 6)
}

function writeDirectoryInto(target: Buffer, tree: Tree, files: readonly IsoFile[], starts: readonly number[]): void {
  const self = { start: tree.directory, length: sector, isDirectory: true }
  const entries = files.map(({ name, content }, index) => ({
    name: tree.joliet ? utf16(name) : Buffer.from(plainName(name, index), 'latin1'),
    place: { start: starts[index] ?? 0, length: content.length, isDirectory: false },
  }))
  const sorted = entries.toSorted((a, b) => Buffer.compare(a.name, b.name))
  const records = [record(Buffer.from([0]), self), record(Buffer.from([1]), self), ...sorted.map(({ name, place }) => record(name, place))]
  Buffer.concat(records).copy(target)
}

/** Returns a unique 8.3 name. Readers of Joliet ignore it. */
function plainName(name: string, index: number): string {
  return `${name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .slice(0, 6)}_${index}.;1`
}

interface Place {
  readonly start: number
  readonly length: number
  readonly isDirectory: boolean
}

function record(name: Buffer, { start, length, isDirectory }: Place): Buffer {
  const size = 33 + name.length + (name.length % 2 === 0 ? 1 : 0)
  const target = Buffer.alloc(size)
  target.writeUInt8(size, 0)
  writeBothInto(target, 2, start)
  writeBothInto(target, 10, length)
  // 1970-01-01: years since 1900, month, day.
  target.set([70, 1, 1], 18)
  target.writeUInt8(isDirectory ? 2 : 0, 25)
  writeBothShortInto(target, 28, 1)
  target.writeUInt8(name.length, 32)
  name.copy(target, 33)
  return target
}

function encode(text: string, bytes: number, wide: boolean): Buffer {
  const padded = text.padEnd(wide ? bytes / 2 : bytes, ' ')
  return wide ? utf16(padded) : Buffer.from(padded, 'latin1')
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

/** Writes the number in both byte orders, as ISO 9660 requires. */
function writeBothInto(target: Buffer, offset: number, value: number): void {
  target.writeUInt32LE(value, offset)
  target.writeUInt32BE(value, offset + 4)
}

function writeBothShortInto(target: Buffer, offset: number, value: number): void {
  target.writeUInt16LE(value, offset)
  target.writeUInt16BE(value, offset + 2)
}
