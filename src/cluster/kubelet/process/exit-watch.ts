import type { Clock } from '#runtime/clock/clock.ts'
import { isRunning, type ProcessIdentity, trySignal } from './process-identity.ts'

/** Detects exits of processes that are not children of this one. */
export interface ExitWatch {
  /** Calls back once, after the process has ended. Dispose to forget it. */
  watch(process: ProcessIdentity, onExit: () => void): Disposable
}

/**
 * Every eighth poll reads `/proc/<pid>/stat`; the others only test whether the pid exists, which is
 * cheap.
 */
const thoroughEvery = 8

/**
 * One timer for all adopted processes, and none without them. Linux reports an exit to parents and
 * holders of a pidfd only, and Node can be neither for a process that an earlier kubelet started.
 */
export function createExitWatch(options: { clock: Clock; bootId: string; intervalMs?: number }): ExitWatch {
  const { clock, bootId, intervalMs = 250 } = options
  const watched = new Map<symbol, { process: ProcessIdentity; onExit: () => void }>()
  let timer: Disposable | undefined
  let looks = 0

  function arm(): void {
    if (watched.size > 0) timer ??= clock.after(intervalMs, look)
  }
  function look(): void {
    timer = undefined
    // Only a thorough poll detects an unreaped zombie, or another process with the same pid.
    const isThorough = ++looks % thoroughEvery === 0
    for (const [key, { process, onExit }] of watched) {
      if (isThorough ? isRunning(process, bootId) : trySignal(process.pid, 0)) continue
      watched.delete(key)
      onExit()
    }
    arm()
  }
  return {
    watch(process, onExit) {
      const key = Symbol('adopted process')
      watched.set(key, { process, onExit })
      arm()
      return {
        [Symbol.dispose]: () => {
          watched.delete(key)
          if (watched.size > 0) return
          timer?.[Symbol.dispose]()
          timer = undefined
        },
      }
    },
  }
}
