import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes or changes a symbolic link in one step: at no time is there none. */
export async function replaceLink(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await rm(`${path}.new`, { force: true })
  await symlink(target, `${path}.new`)
  await rename(`${path}.new`, path)
}
