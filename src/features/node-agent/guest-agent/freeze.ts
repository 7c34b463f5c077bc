import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Guest } from '../guest/guest.ts'
import type { GuestRegistry } from '../guest/guest-registry.ts'
import { askAgent } from './ask-agent.ts'

/** Freezes file systems of guests, for a limited time. */
export interface Freezer extends Disposable {
  /**
   * Freezes all file systems of a guest. They are thawed after `limitMs`, whatever happens to the
   * caller and to this process; 0: not before {@link thaw}. @throws StatusError 409 without an
   * agent
   */
  freeze(guest: Guest, limitMs: number): Promise<void>
  /** @throws StatusError 409 without an agent */
  thaw(guest: Guest): Promise<void>
  /** Resumes the limits that an earlier process has set. */
  resume(): Promise<void>
}

/** Dependencies of {@link createFreezer}. */
export interface FreezerOptions {
  readonly guests: Pick<GuestRegistry, 'all'>
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds before a failed thaw is repeated. */
const thawRetryMs = 5_000

/** Creates the freezer of a node. */
export function createFreezer({ guests, clock, log }: FreezerOptions): Freezer {
  const timers = new Map<string, Disposable>()
  const stopTimer = (podUid: string): void => {
    timers.get(podUid)?.[Symbol.dispose]()
    timers.delete(podUid)
  }
  function thawAt(guest: Guest, atMs: number): void {
    stopTimer(guest.podUid)
    const expire = (): void => {
      thaw(guest).then(
        () => log.warn({ pod: guest.podUid }, 'Thawed the file systems of a guest: they were frozen for too long'),
        () => thawAt(guest, clock.now() + thawRetryMs),
      )
    }
    timers.set(guest.podUid, clock.after(Math.max(0, atMs - clock.now()), expire))
  }
  async function thaw(guest: Guest): Promise<void> {
    const launcher = await guest.inspect()
    if (launcher.kind === 'running') await askAgent(guest, (agent) => agent.execute('guest-fsfreeze-thaw'))
    stopTimer(guest.podUid)
    await rm(limitFile(guest), { force: true })
    guest.changed()
  }
  return {
    async freeze(guest, limitMs) {
      // Written before: a process that is killed in between thaws what may be frozen.
      const untilMs = limitMs === 0 ? undefined : clock.now() + limitMs
      await writeFile(limitFile(guest), JSON.stringify({ untilMs }), { mode: 0o600 })
      if (untilMs !== undefined) thawAt(guest, untilMs)
      try {
        await askAgent(guest, async (agent) => {
          const status = await agent.execute('guest-fsfreeze-status')
          if (status !== 'frozen') await agent.execute('guest-fsfreeze-freeze')
        })
      } catch (error) {
        stopTimer(guest.podUid)
        await rm(limitFile(guest), { force: true })
        throw error
      }
      guest.changed()
    },
    thaw,
    async resume() {
      for (const { guest } of guests.all()) {
        const limit = await readLimit(guest)
        if (limit?.untilMs !== undefined) thawAt(guest, limit.untilMs)
      }
    },
    [Symbol.dispose]() {
      for (const timer of timers.values()) timer[Symbol.dispose]()
      timers.clear()
    },
  }
}

/** Reports whether file systems of a guest are frozen, by request. */
export async function isFrozen(guest: Pick<Guest, 'paths'>): Promise<boolean> {
  return (await readLimit(guest)) !== undefined
}

function limitFile({ paths }: Pick<Guest, 'paths'>): string {
  return join(paths.recordDirectory, 'frozen')
}

async function readLimit(guest: Pick<Guest, 'paths'>): Promise<{ readonly untilMs?: number } | undefined> {
  try {
    return JSON.parse(await readFile(limitFile(guest), 'utf8')) as { readonly untilMs?: number }
  } catch {
    return undefined
  }
}
