import { watch } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Clock } from '#runtime/clock/clock.ts'
import { createNotifier } from '../process/notifier.ts'
import { offsetAt, readLogTimes } from './log-times.ts'
import type { FoundLog } from './find-log.ts'
import { stampLines } from './stamp-lines.ts'

/** Part of a log to read. */
export interface ReadLogOptions {
  readonly clock: Clock
  /** Bytes to skip. Default 0. */
  readonly from?: number
  /** Only so many last lines. Default: all. */
  readonly tailLines?: number
  /** Go on until the run has ended. Default false. */
  readonly follow?: boolean
  /** Skips output before this time, in milliseconds since the epoch. Default: none. */
  readonly since?: number
  /** The time in front of each line. Default false. */
  readonly timestamps?: boolean
  readonly signal: AbortSignal
}

const chunkBytes = 64 * 1024
/** A run may end without a last write: look this often (milliseconds) whether it has. */
const lookMs = 1_000

/** Yields a log in chunks. A log that is truncated meanwhile is read on from its new start. */
export async function* readLog(log: FoundLog, options: ReadLogOptions): AsyncGenerator<Uint8Array> {
  const { clock, from = 0, tailLines, since } = options
  await using file = await open(log.path, 'r')
  const tail = tailLines === undefined ? from : await startOfTail(file, tailLines)
  const start = since === undefined ? tail : Math.max(tail, offsetAt(log.path, since))
  const chunks = readFrom(file, log, start, options)
  if (options.timestamps !== true) return yield* chunks
  const times = readLogTimes(log.path)
  yield* stampLines(chunks, start, (offset) => times.at(offset) ?? clock.now())
}

async function* readFrom(file: FileHandle, log: FoundLog, start: number, options: ReadLogOptions): AsyncGenerator<Uint8Array> {
  const { clock, follow = false, signal } = options
  const notifier = createNotifier(clock)
  using _watching = follow ? watchFile(log.path, () => notifier.notify()) : undefined
  let position = start
  while (!signal.aborted) {
    // Read before the content: output that follows is read in the next round.
    const isOpen = follow && log.isOpen()
    for (let chunk = await readAt(file, position); chunk.length > 0 && !signal.aborted; chunk = await readAt(file, position)) {
      position += chunk.length
      yield chunk
    }
    if (!isOpen) return
    await notifier.wait(lookMs)
    if ((await file.stat()).size < position) position = 0
  }
}

function watchFile(path: string, onChange: () => void): Disposable {
  const watcher = watch(path, { persistent: false }, onChange)
  watcher.on('error', () => {})
  return { [Symbol.dispose]: () => watcher.close() }
}

async function readAt(file: FileHandle, position: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position)
  return buffer.subarray(0, bytesRead)
}

/** Walks back from the end until enough line feeds were seen. */
async function startOfTail(file: FileHandle, lines: number): Promise<number> {
  let end = (await file.stat()).size
  if (lines <= 0) return end
  let missing = lines + 1
  const last = await readAt(file, Math.max(0, end - 1))
  if (last[0] !== 0x0a) missing--
  while (end > 0) {
    const start = Math.max(0, end - chunkBytes)
    const chunk = (await readAt(file, start)).subarray(0, end - start)
    for (let index = chunk.length - 1; index >= 0; index--) {
      if (chunk[index] === 0x0a && --missing === 0) return start + index + 1
    }
    end = start
  }
  return 0
}
