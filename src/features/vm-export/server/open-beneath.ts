import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

/** A path of a client that leads to no file of the volume. */
export class NotInVolume extends Error {
  override readonly name = 'NotInVolume'
}

/**
 * Opens a file or folder of a volume for reading, folder by folder. Links are not followed, neither
 * in the folders nor at the end: pods that may write to the claim could have placed them, and they
 * would lead to files of the container, in machine mode to those of the machine. Devices, sockets
 * and FIFOs are refused. @throws NotInVolume
 */
export async function openBeneath(root: string, names: readonly string[]): Promise<FileHandle> {
  let current = await open(root, constants.O_RDONLY | constants.O_DIRECTORY)
  for (const name of names) {
    await using parent = current
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw new NotInVolume(`"${name}" is no name of a file`)
    current = await openIn(parent, name)
  }
  const kind = await current.stat()
  if (kind.isFile() || kind.isDirectory()) return current
  await current.close()
  throw new NotInVolume(`"${names.join('/')}" is neither a file nor a folder`)
}

/** Path of an open folder, which leads to it even after it was renamed. */
export function pathOf(folder: FileHandle): string {
  return `/proc/self/fd/${folder.fd}`
}

/** Opens an entry of an open folder. Does not wait for the other end of a FIFO. */
async function openIn(folder: FileHandle, name: string): Promise<FileHandle> {
  try {
    return await open(`${pathOf(folder)}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (cause) {
    throw new NotInVolume(`"${name}" cannot be opened: ${(cause as Error).message}`, { cause })
  }
}
