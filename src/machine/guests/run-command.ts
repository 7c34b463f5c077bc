import { randomUUID } from 'node:crypto'
import { ConsoleClosed, ConsoleUnreachable, runInGuest, type ConsoleSource, type GuestCommandResult } from './serial-console.ts'

/** Milliseconds between two searches for the guest's QEMU. */
export const LOOK_AGAIN_MS = 250
/** Minimum milliseconds for the command, whatever is left until the deadline. */
const MIN_RUN_MS = 5_000

/** A command, and the guest that it runs in. */
export interface CommandRun {
  readonly command: string
  /** Returns the guest's serial console as it is now. */
  readonly findConsole: () => Promise<ConsoleSource>
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
}

/**
 * Runs a command in a guest that may start, restart or migrate. Retries when the guest's QEMU does
 * not listen yet, or ends before the command is typed.
 */
export async function runWhenReachable({ command, findConsole, deadline, now, sleep }: CommandRun): Promise<GuestCommandResult> {
  for (;;) {
    try {
      return await runInGuest(await findConsole(), {
        command,
        id: randomUUID().slice(0, 8),
        timeoutMs: Math.max(deadline - now(), MIN_RUN_MS),
      })
    } catch (error) {
      const isUntyped = error instanceof ConsoleUnreachable || (error instanceof ConsoleClosed && !error.hasTyped)
      if (!isUntyped || now() >= deadline) throw error
      await sleep(LOOK_AGAIN_MS)
    }
  }
}
