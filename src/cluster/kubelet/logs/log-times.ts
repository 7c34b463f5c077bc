import { appendFileSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Clock } from '#runtime/clock/clock.ts'

/** A log had grown to so many bytes at some time: milliseconds since the epoch. */
interface LogMark {
  readonly bytes: number
  readonly time: number
}

/** Notes when a log grows. Dispose when nothing is written to it any more. */
export type LogTimer = Disposable

/** Growth within this time counts as one. */
const graspMs = 50
/** Maximum size of a file of marks, far more than a log of the maximum size needs. */
const maximumMarks = 1024 * 1024

/** File of a log's marks. */
export function markPathOf(logPath: string): string {
  return `${logPath}.times`
}

/**
 * Records when a log grew and to what size, in a file beside it: containers write their logs
 * themselves, without timestamps. Output that was written while no kubelet ran gets the time at
 * which the next one reads the size.
 */
export function startLogTimer(clock: Clock, logPath: string): LogTimer {
  let last = marksOf(logPath).at(-1)?.bytes ?? 0
  let waiting: Disposable | undefined
  let marked = 0
  const note = (): void => {
    waiting = undefined
    try {
      const { size } = statSync(logPath)
      if (size === last || marked > maximumMarks) return
      const line = `${size} ${clock.now()}\n`
      last = size
      marked += line.length
      appendFileSync(markPathOf(logPath), line, { mode: 0o600 })
    } catch {
      // The directory is removed together with its pod.
    }
  }
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(logPath, { persistent: false }, () => (waiting ??= clock.after(graspMs, note)))
    watcher.on('error', () => {})
  } catch {
    // The machine has no watch left: lines have no times, and everything else works.
  }
  note()
  return {
    [Symbol.dispose]: () => {
      watcher?.close()
      waiting?.[Symbol.dispose]()
      note()
    },
  }
}

/** Forgets the marks of a log that starts anew. */
export async function dropLogTimes(logPath: string): Promise<void> {
  await rm(markPathOf(logPath), { force: true })
}

/** Write times of the parts of a log, as far as they were recorded. */
export interface LogTimes {
  /**
   * Time at which the output before this offset was recorded; undefined for output that is not yet
   * recorded. Offsets must ascend.
   */
  at(offset: number): number | undefined
}

/** Reads the times of a log, and rereads them for offsets beyond the last mark. */
export function readLogTimes(logPath: string): LogTimes {
  let marks = marksOf(logPath)
  let index = 0
  const find = (offset: number): number | undefined => {
    while (index < marks.length && (marks[index]?.bytes ?? 0) < offset) index++
    return marks[index]?.time
  }
  return {
    at(offset) {
      const known = find(offset)
      if (known !== undefined) return known
      marks = marksOf(logPath)
      index = 0
      return find(offset)
    },
  }
}

/** Offset of the first output that was written at a time or later. */
export function offsetAt(logPath: string, time: number): number {
  const marks = marksOf(logPath)
  const first = marks.findIndex((mark) => mark.time >= time)
  // No mark is that new: later output begins at the end.
  if (first < 0) return marks.at(-1)?.bytes ?? 0
  return first === 0 ? 0 : (marks[first - 1]?.bytes ?? 0)
}

/** Marks since the last truncation: sizes only grow. */
function marksOf(logPath: string): readonly LogMark[] {
  let text
  try {
    text = readFileSync(markPathOf(logPath), 'latin1')
  } catch {
    return []
  }
  const marks: LogMark[] = []
  for (const line of text.split('\n')) {
    const [bytes = NaN, time = NaN] = line.split(' ').map(Number)
    if (Number.isNaN(bytes) || Number.isNaN(time)) continue
    if (bytes < (marks.at(-1)?.bytes ?? 0)) marks.length = 0
    marks.push({ bytes, time })
  }
  return marks
}
