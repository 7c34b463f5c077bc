/** Bytes of a file that {@link virtualSizeOf} needs. */
export const headerBytes = 32

/** `QFI` and 0xfb. */
const qcow2Magic = 0x51_46_49_fb
const virtualSizeAt = 24

/** Beginnings of formats whose disks have another size than their files, which only QEMU knows. */
const opaque: readonly (readonly [text: string, offset: number])[] = [
  ['KDMV', 0],
  ['# Disk Descriptor', 0],
  ['vhdxfile', 0],
  ['conectix', 0],
  ['<<< ', 0],
  ['\u001F\u008B', 0],
  ['\u00FD7zXZ', 0],
  ['\u0028\u00B5\u002F\u00FD', 0],
]

/**
 * Returns the bytes of the disk in a file: its own for a raw image, and those that the header of a
 * qcow2 image names. Undefined for formats whose header does not say it, such as compressed ones.
 * Pure.
 */
export function virtualSizeOf(header: Buffer, fileBytes: number): bigint | undefined {
  if (header.length >= headerBytes && header.readUInt32BE(0) === qcow2Magic) return header.readBigUInt64BE(virtualSizeAt)
  const text = header.toString('latin1')
  return opaque.some(([start, offset]) => text.startsWith(start, offset)) ? undefined : BigInt(fileBytes)
}

const mebibyte = 1n << 20n

/** Rounds up to whole MiB, as a quantity: `5120Mi`. At least 1 MiB, CDI's least size. Pure. */
export function sizeQuantity(bytes: bigint): string {
  const whole = (bytes + mebibyte - 1n) / mebibyte
  return `${whole === 0n ? 1n : whole}Mi`
}

/** Shows a quantity in a table: bytes without a unit are hard to read. Pure. */
export function readableSize(quantity: string): string {
  return /^\d+$/.test(quantity) ? sizeQuantity(BigInt(quantity)) : quantity
}
