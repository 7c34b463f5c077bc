import { readdirSync, readFileSync } from 'node:fs'

/** What a QEMU has used since its start, and has now. */
export interface ProcessStatistics {
  readonly userSeconds: number
  readonly systemSeconds: number
  readonly residentBytes: number
}

/** What a thread has used since its start. */
export interface ThreadStatistics {
  /** Time on a processor. */
  readonly seconds: number
  /** Time in the queue of the node's scheduler. */
  readonly delaySeconds: number
  /** Time in which it waited for I/O. Absent where the kernel does not count it. */
  readonly ioWaitSeconds?: number
  /** Number of the node's processors that it may run on. */
  readonly processors: number
}

// Files of /proc are read synchronously: they are in memory, and a read in a thread of its own
// costs ten times as much.

/** Ticks per second in `stat`: USER_HZ, which is 100 on all architectures of guests. */
const ticksPerSecond = 100

/** Reads what a process uses; undefined when it has ended. */
export function readProcessStatistics(pid: number): ProcessStatistics | undefined {
  const [stat, status] = [read(`/proc/${pid}/stat`), read(`/proc/${pid}/status`)]
  return stat === undefined || status === undefined ? undefined : parseProcess(stat, status)
}

/**
 * Reads what a thread of a process uses; undefined when it has ended. `id`: as the node sees it.
 */
export function readThreadStatistics(pid: number, id: number): ThreadStatistics | undefined {
  const folder = `/proc/${pid}/task/${id}`
  const [stat, schedstat, status] = ['stat', 'schedstat', 'status'].map((name) => read(`${folder}/${name}`))
  if (stat === undefined || status === undefined) return undefined
  return parseThread({ stat, schedstat, status, sched: countsIoWait() ? read(`${folder}/sched`) : undefined })
}

/**
 * Returns the threads of a process by their ids in its own PID namespace, which are those that QEMU
 * knows.
 */
export function readThreadIds(pid: number): ReadonlyMap<number, number> {
  return new Map(
    list(`/proc/${pid}/task`).flatMap((id) => {
      const inner = /^NSpid:.*\s(\d+)$/m.exec(read(`/proc/${pid}/task/${id}/status`) ?? '')?.[1]
      return inner === undefined ? [] : [[Number(inner), Number(id)] as const]
    }),
  )
}

/** Reads the statistics of a process from the texts of its files. Pure. */
export function parseProcess(stat: string, status: string): ProcessStatistics {
  const { userSeconds, systemSeconds } = timesIn(stat)
  return { userSeconds, systemSeconds, residentBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024 }
}

/** Reads the statistics of a thread from the texts of its files. Pure. */
export function parseThread({
  stat,
  schedstat = '',
  status,
  sched = '',
}: {
  readonly stat: string
  readonly schedstat?: string | undefined
  readonly status: string
  readonly sched?: string | undefined
}): ThreadStatistics {
  const { userSeconds, systemSeconds } = timesIn(stat)
  const ioWaitMs = /^(?:se\.statistics\.)?iowait_sum\s*:\s*([\d.]+)$/m.exec(sched)?.[1]
  return {
    seconds: userSeconds + systemSeconds,
    delaySeconds: Number(schedstat.split(' ')[1] ?? 0) / 1e9,
    ...(ioWaitMs === undefined ? {} : { ioWaitSeconds: Number(ioWaitMs) / 1000 }),
    processors: countOf(/^Cpus_allowed_list:\s+(.+)$/m.exec(status)?.[1] ?? ''),
  }
}

function timesIn(stat: string): { readonly userSeconds: number; readonly systemSeconds: number } {
  // The command name is in parentheses and may contain anything, so fields are counted from it on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { userSeconds: Number(fields[11]) / ticksPerSecond, systemSeconds: Number(fields[12]) / ticksPerSecond }
}

/** Counts the members of a list of the kernel: `0-2,5` has four. */
function countOf(list: string): number {
  return list
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0)
}

function countsIoWait(): boolean {
  return read('/proc/sys/kernel/sched_schedstats')?.trim() === '1'
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
