import { stat, type FileHandle } from 'node:fs/promises'

/** Returns a text that changes with each write to a file. Undefined for devices: none tells. */
export async function fileStamp(file: string | FileHandle): Promise<string | undefined> {
  const found = typeof file === 'string' ? await stat(file, { bigint: true }) : await file.stat({ bigint: true })
  return found.isFile() ? `${found.size}-${found.mtimeNs}-${found.ino}` : undefined
}
