import { diskOfDevice } from '../statistics/disk-statistics.ts'
import type { QmpConnection, QmpEvent } from './connection.ts'

/** An I/O error that has stopped the guest. */
export interface DiskError {
  /** Name of the disk in the domain. */
  readonly disk: string
  /** True if there was no space for what the guest wrote. */
  readonly isFull: boolean
}

/**
 * Lists the disks whose errors have stopped the guest at any time: QEMU keeps the first error of a
 * disk that is defined by `-blockdev`, also when the guest is resumed. {@link DiskErrorLog} tells
 * those of the last stop, as long as its connection has seen it.
 */
export async function queryDiskErrors(qmp: QmpConnection): Promise<DiskError[]> {
  const devices = (await qmp.execute('query-block')) as readonly { readonly qdev?: string; readonly 'io-status'?: string }[]
  return devices.flatMap(({ qdev = '', 'io-status': status }) => {
    const disk = diskOfDevice(qdev)
    return disk === undefined || (status !== 'failed' && status !== 'nospace') ? [] : [{ disk, isFull: status === 'nospace' }]
  })
}

/** Collects from QEMU's events the disk errors that have stopped the guest since it last ran. */
export class DiskErrorLog {
  readonly #errors = new Map<string, DiskError>()

  /** Empty when the guest runs, or when the events of its stop were missed. */
  get errors(): readonly DiskError[] {
    return [...this.#errors.values()]
  }

  /** Takes note of an event. Others than those of disks and of a resume change nothing. */
  note({ event, data }: QmpEvent): void {
    if (event === 'RESUME') this.#errors.clear()
    if (event !== 'BLOCK_IO_ERROR' || data['action'] !== 'stop') return
    // Plugged disks have a shortened name, which is that of the disk up to 26 characters.
    const disk = /^(?:disk|hotd)-(.+)$/.exec(String(data['node-name']))?.[1]
    if (disk === undefined) return
    // Several requests may fail at once. Space alone does not help a disk with another error, too.
    const isFull = data['nospace'] === true && this.#errors.get(disk)?.isFull !== false
    this.#errors.set(disk, { disk, isFull })
  }

  /** Forgets all: events will be missed. */
  clear(): void {
    this.#errors.clear()
  }
}
