import type { Writable } from 'node:stream'

/** Calls back once: when a stream takes more again, or never will. */
export function whenWritable(stream: Writable, callback: () => void): void {
  const go = (): void => {
    stream.off('drain', go).off('close', go)
    callback()
  }
  stream.on('drain', go).on('close', go)
}
