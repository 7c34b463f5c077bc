import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a directory and its parents. Node's recursive mkdir never ends where nothing can be
 * created, such as below /proc, since it gets ENOENT for a directory that it has just found.
 * @throws ErrnoException
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // If it is not a directory, its user gets the error.
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || parent === path) throw error
    await makeDirectory(parent, mode)
    await mkdir(path, { mode }).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  }
}
