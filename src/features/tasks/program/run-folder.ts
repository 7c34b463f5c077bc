import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Beginning of the names of folders, before the process id. */
const prefix = 'steadyvm-tasks-'

/**
 * Makes a private folder for the files of this process below a folder that others use, too. Removes
 * those of processes that were killed: they may hold keys.
 */
export async function makeRunFolder(parent: string, pid: number): Promise<string> {
  await mkdir(parent, { recursive: true })
  for (const entry of await readdir(parent)) {
    const owner = entry.startsWith(prefix) ? entry.slice(prefix.length).split('-')[0] : undefined
    // One of another user stays that user's.
    if (owner !== undefined && !(await isRunning(owner))) await rm(join(parent, entry), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, `${prefix}${pid}-`))
}

async function isRunning(pid: string): Promise<boolean> {
  try {
    await stat(join('/proc', pid))
    return true
  } catch {
    return false
  }
}
