import type { Writable } from 'node:stream'

/** Bytes per write. */
export const sliceBytes: number = 256 * 1024

/**
 * Writes `parts` and ends `answer`, with back-pressure. Parts are copied into two alternating
 * buffers, so that a list of all objects is never in memory twice. Stops when the client
 * disconnects.
 */
export async function writeSlices(parts: Iterable<Buffer>, answer: Writable): Promise<void> {
  const buffers = [Buffer.allocUnsafeSlow(sliceBytes), Buffer.allocUnsafeSlow(sliceBytes)] as const
  let active: 0 | 1 = 0
  let filled = 0
  let underWay: Promise<boolean> = Promise.resolve(true)
  /** Returns false when the client has disconnected. */
  const flush = async (): Promise<boolean> => {
    const before = underWay
    underWay = write(answer, buffers[active].subarray(0, filled))
    active = active === 0 ? 1 : 0
    filled = 0
    return before
  }
  for (const part of parts) {
    for (let taken = 0; taken < part.length;) {
      const copied = part.copy(buffers[active], filled, taken)
      taken += copied
      filled += copied
      if (filled === sliceBytes && !(await flush())) return
    }
  }
  if (filled > 0 && !(await flush())) return
  if (await underWay) answer.end()
}

function write(answer: Writable, slice: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    answer.write(slice, (error) => resolve(!error))
  })
}
