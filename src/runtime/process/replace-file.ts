import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Options of {@link replaceFile}. */
export interface ReplaceFileOptions {
  readonly mode: number
  /**
   * Folder of the same file system in which the file is written before it gets its name. Another
   * one than its own, if readers take each file there, or if others may put links there.
   */
  readonly through: string
}

/** Replaces a file: readers find the former content or the whole new one. Follows no link. */
export async function replaceFile(path: string, content: string, { mode, through }: ReplaceFileOptions): Promise<void> {
  const temporary = join(through, `${randomUUID()}.new`)
  await writeFile(temporary, content, { mode, flag: 'wx' })
  await rename(temporary, path)
}

/** Reads a file of text; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
