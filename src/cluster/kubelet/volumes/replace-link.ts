import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates or replaces a symbolic link atomically. */
export async function replaceLink(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await rm(`${path}.new`, { force: true })
  await symlink(target, `${path}.new`)
  await rename(`${path}.new`, path)
}
