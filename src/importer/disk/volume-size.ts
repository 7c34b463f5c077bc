import { ImportFailure } from '../failure.ts'
import type { ImportTask } from '../task/task.ts'

const mebibyte = 1024 * 1024
const sector = 512

/** Sizes of the disk of a volume. */
export interface DiskSize {
  /** What a disk grows to: the volume without what its file system needs, in whole mebibytes. */
  readonly usual: number
  /** The largest disk: rounding must not refuse a disk that the volume was made for. */
  readonly largest: number
}

/** Computes the size as the node agent does for disks that it makes in claims. Pure. */
export function diskSize({ volumeBytes, overhead }: Pick<ImportTask, 'volumeBytes' | 'overhead'>, isDevice: boolean): DiskSize {
  if (isDevice) return { usual: volumeBytes, largest: volumeBytes }
  const perMille = BigInt(1000 - Math.round(overhead * 1000))
  const usable = Number((BigInt(volumeBytes) * perMille) / 1000n)
  const usual = usable < mebibyte ? usable - (usable % sector) : usable - (usable % mebibyte)
  return { usual, largest: Math.min(volumeBytes, Math.ceil(usable / mebibyte) * mebibyte) }
}

/** @throws ImportFailure for a disk that is larger than its volume */
export function requireRoom(bytes: number, { largest }: DiskSize): void {
  if (bytes <= largest) return
  throw new ImportFailure(
    'VolumeTooSmall',
    `Virtual image size ${bytes} is larger than the reported available storage ${largest}. A larger PVC is required`,
  )
}

/** The failure for content without end: it is longer than the disk can be. */
export function tooLong({ largest }: DiskSize): ImportFailure {
  return new ImportFailure(
    'VolumeTooSmall',
    `The image has more bytes than the reported available storage ${largest}. A larger PVC is required`,
  )
}
