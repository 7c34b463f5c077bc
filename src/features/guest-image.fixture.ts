import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A guest of 39 bytes, in 16-bit x86: claims the ACPI power button (0x100 to port 0x602), prints
 * "!" on the serial port (0x3f8), sleeps until the button is pressed (bit 8 of port 0x600), and
 * powers off (0x2000 to port 0x604).
 */
const program = 'fa31c08ed8fbba0206b80001efbaf803b021eef4ba0006edf6c40174f6ba0406b80020eff4ebfd'

/**
 * Writes the files of a containerDisk image with a guest that powers off on the power button.
 * Returns its root.
 */
export function makeGuestImage(parent: string): string {
  const root = mkdtempSync(join(parent, 'image-'))
  writeGuestImage(root)
  return root
}

/** Writes the files of the same image into a folder, which is created. */
export function writeGuestImage(root: string): void {
  const disk = Buffer.alloc(1 << 20)
  disk.write(program, 'hex')
  disk.write('55aa', 510, 'hex')
  mkdirSync(join(root, 'disk'), { recursive: true })
  writeFileSync(join(root, 'disk/boot.img'), disk)
}
