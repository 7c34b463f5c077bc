import { constants } from 'node:fs'
import { open, readdir, type FileHandle } from 'node:fs/promises'

/** New files in the folder get its group, too. */
const folderBits = 0o2770
const fileBits = 0o660

/**
 * Lets a group read and write a volume with all that is in it, as `fsGroup` of a pod asks for; the
 * owners stay. Links are not followed, and files with a second name are left alone: pods that may
 * write to the volume could have placed either to get at a file of the machine. What has the group
 * already is only looked at.
 */
export async function giveToGroup(path: string, group: number): Promise<void> {
  await using root = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // No one else has a way into the volume.
  await root.chmod((await root.stat()).isDirectory() ? folderBits : fileBits)
  await give(root, group)
}

async function give(file: FileHandle, group: number): Promise<void> {
  const found = await file.stat()
  const { uid, gid, mode, nlink } = found
  if (!found.isDirectory() && (!found.isFile() || nlink > 1)) return
  const bits = found.isDirectory() ? folderBits : fileBits
  // chown() clears bits of the mode.
  if (gid !== group) await file.chown(uid, group)
  if (gid !== group || (mode & bits) !== bits) await file.chmod((mode & 0o7777) | bits)
  if (!found.isDirectory()) return
  const folder = `/proc/self/fd/${file.fd}`
  for (const name of await readdir(folder)) {
    const child = await open(`${folder}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
    if (child === undefined) continue
    await using opened = child
    await give(opened, group)
  }
}
