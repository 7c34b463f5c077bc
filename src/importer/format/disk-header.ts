import { ImportFailure } from '../failure.ts'
import type { DiskFormat } from './detect.ts'

/** What the first bytes of an image say. */
export interface DiskHeader {
  /** Size that a guest sees; undefined if it is said elsewhere in the image. */
  readonly virtualBytes: number | undefined
}

/**
 * Reads the header of an image, before anything else of it is read. An image that takes data from
 * other files is refused: it could name any file that the worker may read. Pure.
 * @throws ImportFailure
 */
export function readDiskHeader(format: DiskFormat, head: Buffer): DiskHeader {
  switch (format) {
    case 'raw':
    case 'vhdx':
      // QEMU refuses a VHDX with a parent, and has its size from a table inside.
      return { virtualBytes: undefined }
    case 'qcow2':
      return readQcow2(head)
    case 'vmdk':
      return readVmdk(head)
    case 'vdi':
      return readVdi(head)
    case 'vhd':
      return readVhd(head)
  }
}

function invalid(format: string, found: string): ImportFailure {
  return new ImportFailure('ImageInvalid', `The image is no valid ${format}: ${found}; check it with "qemu-img check"`)
}

function backing(): ImportFailure {
  return new ImportFailure(
    'BackingFileRefused',
    'The image has only the differences to another file, its backing file: flatten it with "qemu-img convert", and import the result',
  )
}

/** A number of 64 bits that is a size. @throws ImportFailure */
function size(format: string, value: bigint, unit: number = 1): number {
  const bytes = value * BigInt(unit)
  if (bytes > 0n && bytes <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(bytes)
  throw invalid(format, `its disk has ${bytes} bytes`)
}

/** Bits of a qcow2 of version 3 that a reader must know. */
const incompatible = { dirty: 1n, corrupt: 2n, externalData: 4n, compression: 8n, extendedL2: 16n }
const known = Object.values(incompatible).reduce((all, bit) => all | bit, 0n)

function readQcow2(head: Buffer): DiskHeader {
  if (head.length < 104) throw invalid('qcow2', `it ends after ${head.length} bytes`)
  const version = head.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw invalid('qcow2', `its version is ${version}, and 2 and 3 are known`)
  const clusterBits = head.readUInt32BE(20)
  if (clusterBits < 9 || clusterBits > 21) throw invalid('qcow2', `its clusters have 2^${clusterBits} bytes`)
  if (head.readBigUInt64BE(8) !== 0n || head.readUInt32BE(16) !== 0) throw backing()
  if (head.readUInt32BE(32) !== 0)
    throw new ImportFailure('EncryptedImageRefused', 'The image is encrypted, and there is no key: decrypt it with "qemu-img convert"')
  if (version === 3) {
    const features = head.readBigUInt64BE(72)
    if ((features & incompatible.externalData) !== 0n)
      throw new ImportFailure(
        'ExternalDataRefused',
        'The image has its data in another file: make one of both with "qemu-img convert", and import the result',
      )
    if ((features & incompatible.corrupt) !== 0n) throw invalid('qcow2', 'it is marked as corrupt')
    if ((features & ~known) !== 0n) throw invalid('qcow2', `it has features that are not known (${features.toString(16)})`)
  }
  return { virtualBytes: size('qcow2', head.readBigUInt64BE(24)) }
}

const sector = 512
/** Kinds of VMDK that are one file. */
const wholeVmdks = ['monolithicSparse', 'streamOptimized']

function readVmdk(head: Buffer): DiskHeader {
  if (head.length < sector) throw invalid('VMDK', `it ends after ${head.length} bytes`)
  const capacity = head.readBigUInt64LE(12)
  // Without a capacity, QEMU takes the file for a description that names other files.
  if (capacity === 0n) throw invalid('VMDK', 'its header names no size')
  const descriptorAt = Number(head.readBigUInt64LE(28)) * sector
  const descriptorBytes = Number(head.readBigUInt64LE(36)) * sector
  if (descriptorAt < sector || descriptorBytes === 0 || descriptorAt + Math.min(descriptorBytes, sector) > head.length)
    throw invalid('VMDK', 'it has no description at its start, so that it may be a part of several files')
  const descriptor = head.subarray(descriptorAt, Math.min(head.length, descriptorAt + descriptorBytes)).toString('latin1')
  if (/^\s*parentFileNameHint\s*=/m.test(descriptor)) throw backing()
  const parent = /^\s*parentCID\s*=\s*"?([0-9a-f]+)/im.exec(descriptor)?.[1]
  if (parent !== undefined && !/^f{8}$/i.test(parent)) throw backing()
  const type = /^\s*createType\s*=\s*"([^"]*)"/m.exec(descriptor)?.[1] ?? ''
  if (!wholeVmdks.includes(type))
    throw new ImportFailure(
      'ExternalDataRefused',
      `The image is a VMDK of type "${type.slice(0, 40)}", which has its data in other files: convert it to ${wholeVmdks.join(' or ')}`,
    )
  return { virtualBytes: size('VMDK', capacity, sector) }
}

function readVdi(head: Buffer): DiskHeader {
  if (head.length < sector) throw invalid('VDI', `it ends after ${head.length} bytes`)
  const type = head.readUInt32LE(0x4c)
  // 1 grows, 2 is allocated. 3 and 4 are differences to another disk.
  if (type === 3 || type === 4) throw backing()
  if (type !== 1 && type !== 2) throw invalid('VDI', `its type is ${type}`)
  return { virtualBytes: size('VDI', head.readBigUInt64LE(0x170)) }
}

function readVhd(head: Buffer): DiskHeader {
  if (head.length < sector) throw invalid('VHD', `it ends after ${head.length} bytes`)
  const type = head.readUInt32BE(60)
  // 2 is fixed, 3 grows, 4 is a difference to another disk.
  if (type === 4) throw backing()
  if (type !== 2 && type !== 3) throw invalid('VHD', `its type is ${type}`)
  return { virtualBytes: size('VHD', head.readBigUInt64BE(48)) }
}
