import { crc32 } from 'node:zlib'

/** A chunk of zeros, of which everything is known before it is read. */
export interface Hole {
  readonly compressed: Promise<Buffer>
  is(chunk: Buffer): boolean
  /** Continues a CRC-32 over the hole, without looking at it. */
  after(checksum: number): number
}

const known = new Map<number, Hole>()

/** Returns the hole of a size. It is made once. */
export function holeOf(bytes: number, compress: (zeros: Buffer) => Promise<Buffer>): Hole {
  return known.getOrInsertComputed(bytes, () => {
    const zeros = Buffer.alloc(bytes)
    // The CRC over a hole is an affine function of the one before: 32 bits and a constant tell it.
    const constant = crc32(zeros, 0)
    const ofBits = Array.from({ length: 32 }, (_, bit) => (crc32(zeros, 2 ** bit) ^ constant) >>> 0)
    return {
      compressed: compress(zeros),
      is: (chunk) => chunk.length === bytes && chunk.equals(zeros),
      after: (checksum) =>
        ofBits.reduce((result, mask, bit) => (((checksum >>> bit) & 1) === 0 ? result : (result ^ mask) >>> 0), constant),
    }
  })
}
