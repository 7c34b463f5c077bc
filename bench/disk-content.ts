import { open, readFile } from 'node:fs/promises'

const piece = 8 << 20

/**
 * Writes a raw disk as systems have them: pieces of programs, which can be compressed as well as
 * those of other machines, and holes between them.
 */
export async function writeDiskContent(path: string, size: { readonly bytes: number; readonly dataBytes: number }): Promise<void> {
  const programs = await readFile(process.execPath)
  const pieces = Math.floor(size.dataBytes / piece)
  const every = Math.floor(size.bytes / pieces / 4096) * 4096
  const file = await open(path, 'w')
  try {
    await file.truncate(size.bytes)
    for (let index = 0; index < pieces; index++) {
      // No two pieces are the same, also where the programs are shorter than the data.
      const from = (index * 1_234_567 * 13) % (programs.length - piece)
      await file.write(programs, from, piece, index * every)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}
