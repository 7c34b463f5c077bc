import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from './guest.ts'
import type { GuestRegistry } from './guest-registry.ts'
import type { Host } from '../node/host.ts'

/** Sizes in bytes of the log of a serial console. */
export interface LogLimits {
  /** Size at which the log is cut. */
  readonly maxBytes: number
  /** Size that is kept: the last output. */
  readonly keptBytes: number
}

const defaultLimits: LogLimits = { maxBytes: 16 << 20, keptBytes: 1 << 20 }
/** Milliseconds between checks. A guest writes some megabytes a second at most. */
const intervalMs = 10_000

/** Dependencies of {@link keepSerialLogsShort}. */
export interface SerialLogOptions {
  readonly guests: Pick<GuestRegistry, 'all'>
  readonly host: Host
  readonly clock: Clock
}

/**
 * Keeps guests from filling their node's disk by output on their serial consoles, which QEMU logs
 * without a limit. Runs until the signal.
 */
export async function keepSerialLogsShort({ guests, host, clock }: SerialLogOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { guest } of guests.all()) await trimOf(guest, host).catch(() => {})
    await clock.sleep(intervalMs, signal).catch(() => {})
  }
}

async function trimOf(guest: Guest, host: Host): Promise<void> {
  const path = (await guest.record())?.domain.serial?.logPath
  if (path === undefined) return
  const { root } = await guest.filePlace(host)
  await trimLog(join('/', root, path), defaultLimits)
}

/**
 * Cuts a log that QEMU appends to, and keeps its end. What QEMU writes meanwhile may be lost. The
 * folder is the launcher's: a link is not followed.
 */
export async function trimLog(path: string, { maxBytes, keptBytes }: LogLimits): Promise<void> {
  await using file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const found = await file.stat()
  if (!found.isFile() || found.size <= maxBytes) return
  const end = Buffer.alloc(keptBytes)
  const { bytesRead } = await file.read(end, 0, keptBytes, found.size - keptBytes)
  await file.truncate(0)
  await file.write(end.subarray(0, bytesRead))
}
