import { copyFile, stat, truncate } from 'node:fs/promises'
import { dropLogTimes } from './log-times.ts'

/** Bytes that a log may have before it is cut. */
const maximumLogBytes = 10 * 1024 * 1024

/**
 * Moves what a log holds to `<log>.1` when it has grown too large. The process writes to an open
 * file in append mode, so that the file itself must stay; what it writes between copy and cut is
 * lost. Resolves to whether it was cut.
 */
export async function rotateLog(path: string, maximumBytes: number = maximumLogBytes): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.size <= maximumBytes) return false
  await copyFile(path, `${path}.1`)
  await truncate(path)
  await dropLogTimes(path)
  return true
}
