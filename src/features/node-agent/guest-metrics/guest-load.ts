import {
  pollGuestMemory,
  readDiskStatistics,
  readMemoryStatistics,
  readVcpuThreads,
  type DiskStatistics,
  type MemoryStatistics,
} from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { createDirtyRates } from './dirty-rates.ts'
import {
  readProcessStatistics,
  readThreadIds,
  readThreadStatistics,
  type ProcessStatistics,
  type ThreadStatistics,
} from './process-statistics.ts'

/** What QEMU and the node say about the load of a guest. */
export interface GuestLoad {
  readonly process: ProcessStatistics
  /** By the index of the CPU. */
  readonly vcpus: ReadonlyMap<number, ThreadStatistics>
  readonly memory: MemoryStatistics
  readonly disks: readonly DiskStatistics[]
  /** Absent unless it is asked for, and before the first measurement. */
  readonly dirtyBytesPerSecond?: number
}

/** Settings of {@link createLoadReader}. */
export interface LoadReaderOptions {
  /** Seconds between two questions of the balloon to the guest; 0: it does not ask. */
  readonly balloonPeriodSeconds: () => number
  readonly clock: Pick<Clock, 'now'>
}

/** Reads the load of guests. */
export interface LoadReader {
  /** Undefined when the guest, whose QEMU has this PID, has ended or does not answer in time. */
  read(guest: Guest, pid: number, options?: { readonly withDirtyRate?: boolean }): Promise<GuestLoad | undefined>
}

/** Milliseconds in which QEMU has to answer all questions before its connection is given up. */
const timeoutMs = 10_000

/** Creates a reader. It has the balloons of guests ask, once their load is read. */
export function createLoadReader({ balloonPeriodSeconds, clock }: LoadReaderOptions): LoadReader {
  const periods = new WeakMap<Guest, number>()
  const threads = new WeakMap<Guest, ReadonlyMap<number, number>>()
  const dirtyRates = createDirtyRates<Guest>(clock)

  /** Finds the threads anew when one is unknown: CPUs can be plugged in. */
  function threadIdsOf(guest: Guest, pid: number, wanted: readonly number[]): ReadonlyMap<number, number> {
    const known = threads.get(guest)
    if (known !== undefined && wanted.every((id) => known.has(id))) return known
    const found = readThreadIds(pid)
    threads.set(guest, found)
    return found
  }

  return {
    async read(guest, pid, { withDirtyRate = false } = {}) {
      const period = balloonPeriodSeconds()
      const answers = await guest.query(async (qmp) => {
        if (periods.get(guest) !== period) {
          await pollGuestMemory(qmp, period)
          periods.set(guest, period)
        }
        return Promise.all([
          readVcpuThreads(qmp),
          readMemoryStatistics(qmp),
          readDiskStatistics(qmp),
          withDirtyRate ? dirtyRates.read(guest, qmp) : undefined,
        ])
      }, timeoutMs)
      const process = readProcessStatistics(pid)
      if (answers === undefined || process === undefined) return undefined
      const [cpus, memory, disks, dirtyRate] = answers
      const wanted = cpus.map(({ threadId }) => threadId)
      const ids = threadIdsOf(guest, pid, wanted)
      const vcpus = cpus.flatMap(({ index, threadId }) => {
        const id = ids.get(threadId)
        const used = id === undefined ? undefined : readThreadStatistics(pid, id)
        return used === undefined ? [] : [[index, used] as const]
      })
      return { process, vcpus: new Map(vcpus), memory, disks, ...(dirtyRate === undefined ? {} : { dirtyBytesPerSecond: dirtyRate }) }
    },
  }
}
