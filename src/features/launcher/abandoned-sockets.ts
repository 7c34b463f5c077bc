import { access, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LauncherPaths } from './launcher-paths.ts'

/** Suffix of a link beside the directory of a pod's sockets, which leads to the pod's folder. */
const podLink = '.pod'

/**
 * Records which pod the directory of its sockets will belong to, before it is made. Idempotent.
 */
export async function linkSocketsToPod({ runDirectory, sharedDirectory }: LauncherPaths): Promise<void> {
  await mkdir(dirname(runDirectory), { recursive: true, mode: 0o700 })
  try {
    await symlink(sharedDirectory, `${runDirectory}${podLink}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Removes the sockets of a pod, and then what records them. Idempotent. */
export async function removeSockets({ runDirectory }: Pick<LauncherPaths, 'runDirectory'>): Promise<void> {
  await rm(runDirectory, { recursive: true, force: true })
  await rm(`${runDirectory}${podLink}`, { force: true })
}

/**
 * Removes the sockets of pods whose folders are gone. A guest and its pod may end while no node
 * agent runs: no launch record is left then that names them. `directory` may be that of all nodes
 * of a machine.
 */
export async function removeAbandonedSockets(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.endsWith(podLink)) continue
    const path = join(directory, name)
    const folder = await readlink(path).catch(() => undefined)
    // The link may have been removed meanwhile, by the agent of another node.
    if (folder === undefined || (await isThere(folder))) continue
    await removeSockets({ runDirectory: path.slice(0, -podLink.length) })
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
