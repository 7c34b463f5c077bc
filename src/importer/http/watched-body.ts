import type { Readable } from 'node:stream'
import type { Time } from '../time.ts'
import { ImportFailure } from '../failure.ts'

/** How long a server may be silent or slow. */
export interface Patience {
  /** Milliseconds without a byte. */
  readonly idleMs: number
  /** Within `windowMs` milliseconds of waiting, at least `windowBytes` must arrive. */
  readonly windowMs: number
  readonly windowBytes: number
}

/** A body with the name of its sender, for messages. */
export interface WatchedBody {
  readonly body: Readable
  readonly sender: string
  /** The body stays open when it was given up: its sender gets an answer. */
  readonly isKept?: boolean
}

/** A minute of silence; a kilobyte a second is not a download. */
export const usualPatience: Patience = { idleMs: 60_000, windowMs: 120_000, windowBytes: 128 * 1024 }

/**
 * Reads a body and gives a silent or very slow server up. Only the time that is spent waiting
 * counts: a target that is slow to write holds the server back, which is no fault of it.
 */
export async function* watchedBody(
  { body, sender, isKept = false }: WatchedBody,
  patience: Patience,
  time: Time,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const stalled = (what: string): ImportFailure => new ImportFailure('SourceStalled', `${sender} ${what}: check it, and the network to it`)
  const onAbort = (): unknown => body.destroy(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  const chunks = body.iterator({ destroyOnReturn: !isKept })[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let waitedMs = 0
  let arrived = 0
  try {
    signal.throwIfAborted()
    for (;;) {
      const before = time.now()
      const timer = setTimeout(() => body.destroy(stalled(`sent nothing for ${Math.round(patience.idleMs / 1000)} s`)), patience.idleMs)
      const next = await chunks.next().finally(() => clearTimeout(timer))
      if (next.done === true) return
      waitedMs += time.now() - before
      arrived += next.value.length
      if (waitedMs > patience.windowMs) {
        if (arrived < patience.windowBytes) throw stalled(`sent ${arrived} bytes in ${Math.round(waitedMs / 1000)} s, which is too slow`)
        waitedMs = 0
        arrived = 0
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isKept) body.destroy()
  }
}
