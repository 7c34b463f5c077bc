import type { Writable } from 'node:stream'

/** Calls back once the stream accepts data again or is closed. */
export function whenWritable(stream: Writable, callback: () => void): void {
  const go = (): void => {
    stream.off('drain', go).off('close', go)
    callback()
  }
  stream.on('drain', go).on('close', go)
}
