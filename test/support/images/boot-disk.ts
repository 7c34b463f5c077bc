import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Text that the disk of {@link makeBootDisk} prints on the serial console, twice a second. */
export const bootText = 'booted from this disk'

/**
 * Makes a qcow2 image of 1 MiB that a BIOS boots: its boot sector prints {@link bootText}, and
 * needs no kernel.
 */
export async function makeBootDisk(path: string): Promise<void> {
  const code = [
    [0xfb], // sti
    [0x31, 0xc0], // xor ax, ax
    [0x8e, 0xd8], // mov ds, ax
    [0xbe, 0x1b, 0x7c], // start: mov si, text
    [0xba, 0xf8, 0x03], // mov dx, COM1
    [0xac], // next: lodsb
    [0x84, 0xc0], // test al, al
    [0x74, 0x03], // jz wait
    [0xee], // out dx, al
    [0xeb, 0xf8], // jmp next
    [0xb9, 0x09, 0x00], // wait: mov cx, 9
    [0xf4], // tick: hlt
    [0xe2, 0xfd], // loop tick
    [0xeb, 0xea], // jmp start
  ].flat()
  const disk = Buffer.alloc(1 << 20)
  Buffer.from([...code, ...Buffer.from(`${bootText}\r\n\0`)]).copy(disk)
  disk.writeUInt16LE(0xaa55, 510)
  await writeFile(`${path}.raw`, disk)
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', `${path}.raw`, path])
}
