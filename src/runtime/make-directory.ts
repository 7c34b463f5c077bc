import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a directory that somebody has named, and those above it. Node's own recursive way never
 * ends where nothing can be made, as below /proc, since it hears again and again that a directory
 * is missing that it has just found. @throws ErrnoException
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Something else of that name is found out by whoever uses it.
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeDirectory(parent, mode)
    await mkdir(path, { mode }).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  }
}
