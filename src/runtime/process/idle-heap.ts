import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from './log.ts'

/** The process whose heap is trimmed. */
export interface HeapHost {
  /** Bytes. */
  memoryUsage(): { readonly heapTotal: number }
  /** Microseconds of all threads since the start. */
  cpuUsage(): { readonly user: number; readonly system: number }
  /** Collects garbage and returns free pages to the kernel. Blocks for some 2 ms per MiB in use. */
  collectGarbage(): void
}

/** Dependencies of {@link trimIdleHeap}. */
export interface IdleHeapOptions {
  readonly clock: Clock
  readonly log: Logger
  /** Default: this process. */
  readonly host?: HeapHost
}

/** Milliseconds between two looks. */
const everyMs = 10_000
/** Share of one processor below which a process counts as idle: nothing waits for it. */
const idleShare = 0.1
/** Bytes by which the heap must have grown since it was trimmed last. */
const growthBytes = 24 * 2 ** 20
/** Collections after growth: what the first one finds in use may be garbage at the second one. */
const collections = 2

/**
 * Trims the heap whenever the process becomes idle after much work, until the signal aborts. V8
 * lets a heap grow to several times what is in use as long as its limit is far, and returns little
 * of it by itself: a controller that has upgraded 10,000 VMs would keep hundreds of MiB.
 */
export async function trimIdleHeap({ clock, log, host = nodeHost }: IdleHeapOptions, signal: AbortSignal): Promise<void> {
  let trimmed = 0
  let pending = 0
  for (let before = host.cpuUsage(); ;) {
    await clock.sleep(everyMs, signal).catch(() => {})
    if (signal.aborted) return
    const now = host.cpuUsage()
    const busyMs = (now.user + now.system - before.user - before.system) / 1000
    before = now
    const { heapTotal } = host.memoryUsage()
    if (heapTotal - trimmed >= growthBytes) pending = collections
    if (busyMs > idleShare * everyMs || pending === 0) continue
    pending -= 1
    host.collectGarbage()
    trimmed = host.memoryUsage().heapTotal
    log.debug({ heapTotal, trimmed }, 'Returned unused memory')
    before = host.cpuUsage()
  }
}

const nodeHost: HeapHost = {
  memoryUsage: () => process.memoryUsage(),
  cpuUsage: () => process.cpuUsage(),
  collectGarbage: () => {
    // The function exists only in contexts that are created after the flag was set.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: object) => void
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  },
}
