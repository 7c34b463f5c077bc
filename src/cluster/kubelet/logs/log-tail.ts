import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'

/** As Kubernetes limits a termination message that is taken from the log. */
const mostBytes = 2_048
const mostLines = 80

/**
 * Last lines of a log, without a partial line at the front; undefined when there are none. Blocks
 * for one short read.
 */
export function readLogTail(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(file)
    const start = Math.max(0, size - mostBytes)
    const buffer = Buffer.alloc(size - start)
    const length = readSync(file, buffer, 0, buffer.length, start)
    const text = buffer.toString('utf8', 0, length)
    const whole = start === 0 ? text : text.slice(text.indexOf('\n') + 1)
    const lines = whole.trimEnd().split('\n').slice(-mostLines).join('\n')
    return lines.trim() === '' ? undefined : lines
  } finally {
    closeSync(file)
  }
}

/** Termination message of a process, truncated as in Kubernetes; undefined when empty. */
export function readTerminationMessage(path: string): string | undefined {
  try {
    const text = readFileSync(path).toString('utf8', 0, 2 * mostBytes)
    return text === '' ? undefined : text
  } catch {
    return undefined
  }
}
