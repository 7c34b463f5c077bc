import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '../host/host.ts'
import type { Folders } from '../settings.ts'
import { attachLoopDevice, detachLoopDevice, resizeLoopDevice } from './loop-devices.ts'

/** Storage of a volume: a folder, or a loop device. */
export interface Volume {
  readonly name: string
  readonly mode: 'Filesystem' | 'Block'
}

/** Returns the path of a volume: that of a folder, or of a link to its device. */
export function pathOf({ home }: Folders, { name }: Pick<Volume, 'name'>): string {
  return join(home, 'volumes', name)
}

/**
 * Creates a folder, or a device of at least a size, unless they exist. Sizes of folders are not
 * enforced, and files of devices are sparse.
 */
export async function ensureVolume(folders: Folders, volume: Volume, bytes: number): Promise<void> {
  const path = pathOf(folders, volume)
  await mkdir(join(folders.home, 'volumes'), { recursive: true })
  if (volume.mode === 'Filesystem') {
    await mkdir(path, { recursive: true })
    return chmod(path, 0o777)
  }
  const file = await open(`${path}.img`, 'a', 0o600)
  try {
    if ((await file.stat()).size < bytes) await file.truncate(bytes)
  } finally {
    await file.close()
  }
  await resizeLoopDevice(await linkDevice(folders, volume))
}

/** Copies the content of a volume to another one of the same mode, which exists. */
export async function copyVolume(folders: Folders, from: Volume, to: Volume): Promise<void> {
  const [source, target] = [pathOf(folders, from), pathOf(folders, to)]
  if (from.mode === 'Filesystem') await execute(['cp', '--archive', '--sparse=always', `${source}/.`, target])
  // The target may be larger.
  else await execute(['dd', `if=${source}.img`, `of=${target}.img`, 'bs=1M', 'conv=notrunc,sparse', 'status=none'])
}

/** Removes a volume with its content. */
export async function removeVolume(folders: Folders, volume: Volume): Promise<void> {
  const path = pathOf(folders, volume)
  if (volume.mode === 'Block') await detachLoopDevice(`${path}.img`)
  await rm(path, { recursive: true, force: true })
  await rm(`${path}.img`, { force: true })
}

/** Attaches the loop devices of block volumes, which a restart of the machine has detached. */
export async function attachVolumes(folders: Folders): Promise<void> {
  const folder = join(folders.home, 'volumes')
  if (!existsSync(folder)) return
  for (const file of await readdir(folder)) if (file.endsWith('.img')) await linkDevice(folders, { name: file.slice(0, -'.img'.length) })
}

/** Links the name of a volume to its loop device, whose number can change. Returns the device. */
async function linkDevice(folders: Folders, volume: Pick<Volume, 'name'>): Promise<string> {
  const path = pathOf(folders, volume)
  const device = await attachLoopDevice(`${path}.img`)
  await rm(path, { force: true })
  await symlink(device, path)
  return device
}
