import type { BigIntStatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Disk } from '#qemu/index.ts'
import { onNode, type FilePlace } from './file-place.ts'

/** Whether disks have space: one lacks it, all have it, or nothing on this node says so. */
export type FreeSpace = 'lacking' | 'free' | 'unknown'

/** Bytes that a file system must have free. A guest that writes more at a time stops again. */
const leastBytes = 1n << 20n

/** Looks at the file systems of disks. Undefined: a disk that is not in the launch record. */
export async function freeSpaceOf(disks: readonly (Disk | undefined)[], place: Pick<FilePlace, 'root'>): Promise<FreeSpace> {
  const found = await Promise.all(disks.map((disk) => freeSpaceOfDisk(disk, place)))
  return found.find((space) => space === 'lacking') ?? found.find((space) => space === 'unknown') ?? 'free'
}

/** Reads the answer of a file system; some, over a network, do not say what they have. */
export function freeSpaceIn({ blocks, bavail, bsize }: Pick<BigIntStatsFs, 'blocks' | 'bavail' | 'bsize'>): FreeSpace {
  if (blocks === 0n) return 'unknown'
  return bavail * bsize >= leastBytes ? 'free' : 'lacking'
}

/** Devices do not say whether they have space, such as thin volumes. */
async function freeSpaceOfDisk(disk: Disk | undefined, place: Pick<FilePlace, 'root'>): Promise<FreeSpace> {
  if (disk === undefined || disk.isHostDevice === true) return 'unknown'
  try {
    return freeSpaceIn(await statfs(onNode(place, disk.path), { bigint: true }))
  } catch {
    return 'unknown'
  }
}
