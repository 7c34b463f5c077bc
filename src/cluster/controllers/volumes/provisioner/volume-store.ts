import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Where the data of volumes lies: a folder for each, or a raw file in it. All operations may be
 * repeated.
 */
export interface VolumeStore {
  /** Where a volume's data is, or will be. */
  pathOf(name: string, isBlock: boolean): string
  /** Makes the place; a raw file takes the size, and never shrinks. */
  ensure(name: string, isBlock: boolean, bytes: bigint): Promise<void>
  /** Removes a volume with all its data. */
  remove(name: string): Promise<void>
}

const rawFile = 'disk.img'

/** The volumes below one folder. */
export function createVolumeStore(root: string): VolumeStore {
  const folder = (name: string): string => {
    // A name comes from the API: it must not lead anywhere else.
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) || name.includes('..'))
      throw new RangeError(`volume name "${name}" is no folder name`)
    return join(root, name)
  }
  return {
    pathOf: (name, isBlock) => (isBlock ? join(folder(name), rawFile) : folder(name)),
    async ensure(name, isBlock, bytes) {
      await mkdir(folder(name), { recursive: true, mode: 0o755 })
      if (isBlock) await grow(join(folder(name), rawFile), bytes)
    },
    remove: (name) => rm(folder(name), { recursive: true, force: true }),
  }
}

/** Sparse: what is not written takes no room. */
async function grow(path: string, bytes: bigint): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat({ bigint: true })
    if (size < bytes) await file.truncate(Number(bytes))
  } finally {
    await file.close()
  }
}
