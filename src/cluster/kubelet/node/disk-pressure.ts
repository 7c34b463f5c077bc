import { statfs } from 'node:fs/promises'

/** Use of the file system that holds images, volumes and logs of a node. */
export interface FileSystemUse {
  readonly capacityBytes: number
  readonly availableBytes: number
  /** 0: the file system does not count inodes. */
  readonly inodes: number
  readonly inodesFree: number
}

/** Thresholds below which a node reports DiskPressure. */
export interface DiskThresholds {
  /** Share of the capacity, 0 to 1. */
  readonly availableShare: number
  /** Upper limit of the share in bytes: a tenth of a large disk is not a shortage. */
  readonly availableBytes: number
  /** Share of the inodes, 0 to 1. */
  readonly inodesShare: number
}

/** The kubelet's own 10 % and 5 %, and 2 GiB where that is less. */
export const defaultDiskThresholds: DiskThresholds = { availableShare: 0.1, availableBytes: 2 * 2 ** 30, inodesShare: 0.05 }

/** Above the thresholds by this factor the pressure is over: otherwise the taint would flap. */
const recoveryFactor = 1.1

/** Reports whether the node is under disk pressure, given whether it was before. Pure. */
export function hasDiskPressure(before: boolean, use: FileSystemUse, thresholds: DiskThresholds): boolean {
  const factor = before ? recoveryFactor : 1
  const bytes = Math.min(thresholds.availableShare * use.capacityBytes, thresholds.availableBytes)
  return use.availableBytes < bytes * factor || use.inodesFree < thresholds.inodesShare * use.inodes * factor
}

/** Reads the use of the file system of a path, as an unprivileged user has it. */
export async function readFileSystemUse(path: string): Promise<FileSystemUse> {
  const { blocks, bavail, bsize, files, ffree } = await statfs(path)
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize, inodes: files, inodesFree: ffree }
}
