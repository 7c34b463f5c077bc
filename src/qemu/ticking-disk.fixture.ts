/**
 * A boot sector that is a whole guest, ready 0.1 s after QEMU: with each tick of its clock (18 a
 * second) it prints the next letter of the alphabet, so that a console shows every tick that was
 * lost or came twice. It writes to `pagesPerTick` pages of memory and first compares each with what
 * it wrote there in its last round; for a page that is wrong it prints "!" and stops. To sector
 * `sector` it writes the number of the tick. Assembled from 16-bit code:
 *
 *     tick:  hlt; if the BIOS's clock (0x46c) stands, again
 *            touch; if sector: int 13h/43h, the number from 0x7e00
 *            out 0x3f8, 'a' + number++ % 26; again
 *     touch: fs := flat segment (a moment in protected mode)
 * pagesPerTick times: [page] must be round - 1 and, but in the first round, [page + 4] = page;
 *            write both;
 *            page += 4096, and from `end` back to 2 MiB with round++
 */
const code =
  '+jHAjtiOwI7QvAB8+4gWJn30ZqFsBGY7Bhp9dPRmoxp96DoAZoM+Dn0AdBRmoRZ9ZqMAfrgAQ4oWJn2+Bn3NE2ahFn1m/wYWfWYx0ma5GgAAAGb38YjQBGHohQDrs2aLDup9Z+Nx+g8BFgB9' +
  'DyDADAEPIsDrALsIAI7jJP4PIsDqhXwAAGaLPh59ZosWIn1nZo1a/2RnZjkfdT1mhdt0CGRnZjl/BHUwZGdmiRdkZ2aJfwRmgccAEAAAZjs+8n1yB2aLPu59ZkJmSXXDZok+Hn1miRYiffvDsCHo' +
  'BAD69Ov8ULr9A+yoIHT7WLr4A+7DAAAAAAAAAAD//wAAAJLPAA8A8HwAABAAAQAAfgAAAAA='
const firstPage = 2 << 20

/** Actions of the guest at each tick besides printing a letter. */
export interface Ticking {
  /** Memory that it writes, in MiB from 2 MiB on. */
  readonly mebibytes?: number
  readonly pagesPerTick?: number
  readonly sector?: number
}

/** Bytes of a disk of that many sectors. */
export function tickingDisk({ mebibytes = 0, pagesPerTick = 0, sector = 0 }: Ticking, sectors = 2048): Buffer {
  const disk = Buffer.alloc(sectors * 512)
  Buffer.from(code, 'base64').copy(disk)
  disk.writeUInt32LE(sector, 0x10e)
  disk.writeUInt32LE(firstPage, 0x11e)
  disk.writeUInt32LE(1, 0x122)
  disk.writeUInt32LE(mebibytes === 0 ? 0 : pagesPerTick, 0x1ea)
  disk.writeUInt32LE(firstPage, 0x1ee)
  disk.writeUInt32LE(firstPage + mebibytes * 2 ** 20, 0x1f2)
  disk.writeUInt16LE(0xaa55, 510)
  return disk
}

/**
 * Returns the error in the output of a guest, or undefined: the output must be the letters of the
 * alphabet, over and over.
 */
export function brokenTicks(printed: string): string | undefined {
  for (let at = 0; at < printed.length; at++) {
    if (printed.charCodeAt(at) !== 97 + (at % 26))
      return `${printed.slice(Math.max(0, at - 5), at)}>${printed.slice(at, at + 5)} at tick ${at}`
  }
  return undefined
}
