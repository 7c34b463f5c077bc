import type { QmpConnection } from '../qmp/connection.ts'

/**
 * What a guest has done with a disk since its QEMU started. Times are those of all requests
 * together.
 */
export interface DiskStatistics {
  /** Name of the disk in the domain. */
  readonly disk: string
  readonly reads: number
  readonly writes: number
  readonly flushes: number
  readonly readBytes: number
  readonly writtenBytes: number
  readonly readSeconds: number
  readonly writeSeconds: number
  readonly flushSeconds: number
}

interface BlockStatistics {
  readonly qdev?: string
  readonly stats: Readonly<Record<string, unknown>>
}

const secondsPerNanosecond = 1e-9

/** Reads the statistics of the disks and drives that a guest has, those plugged in included. */
export async function readDiskStatistics(qmp: QmpConnection): Promise<DiskStatistics[]> {
  const devices = (await qmp.execute('query-blockstats')) as readonly BlockStatistics[]
  return devices.flatMap(({ qdev = '', stats }) => {
    const disk = diskOfDevice(qdev)
    if (disk === undefined) return []
    const count = (name: string): number => (typeof stats[name] === 'number' ? stats[name] : 0)
    return [
      {
        disk,
        reads: count('rd_operations'),
        writes: count('wr_operations'),
        flushes: count('flush_operations'),
        readBytes: count('rd_bytes'),
        writtenBytes: count('wr_bytes'),
        readSeconds: count('rd_total_time_ns') * secondsPerNanosecond,
        writeSeconds: count('wr_total_time_ns') * secondsPerNanosecond,
        flushSeconds: count('flush_total_time_ns') * secondsPerNanosecond,
      },
    ]
  })
}

/**
 * Returns the disk that a device of QEMU shows to the guest. A virtio disk has its backend:
 * `/machine/peripheral/dev-root/virtio-backend`.
 */
export function diskOfDevice(path: string): string | undefined {
  return /(?:^|\/)(?:dev|hot)-([^/]+)/.exec(path)?.[1]
}
