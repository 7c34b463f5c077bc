import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Data of volumes: a directory for each, or a raw file in it. All operations are idempotent. */
export interface VolumeStore {
  /** Path of a volume's data, present or future. */
  pathOf(name: string, isBlock: boolean): string
  /** Creates the directory; a raw file grows to the size, and never shrinks. */
  ensure(name: string, isBlock: boolean, bytes: bigint): Promise<void>
  /** Removes a volume with all its data. */
  remove(name: string): Promise<void>
}

const rawFile = 'disk.img'

/** The volumes below one folder. */
export function createVolumeStore(root: string): VolumeStore {
  const folder = (name: string): string => {
    // The name comes from the API: it must not lead outside of the directory.
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

/** Sparse: unwritten blocks take no space. */
async function grow(path: string, bytes: bigint): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat({ bigint: true })
    if (size < bytes) await file.truncate(Number(bytes))
  } finally {
    await file.close()
  }
}
