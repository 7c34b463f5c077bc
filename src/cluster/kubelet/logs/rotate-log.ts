import { copyFile, stat, truncate } from 'node:fs/promises'
import { dropLogTimes } from './log-times.ts'

/** Size in bytes at which a log is rotated. */
const maximumLogBytes = 10 * 1024 * 1024

/**
 * Copies a log that has grown too large to `<log>.1` and truncates it. The process appends to an
 * open file, so that the file itself must remain; output between copy and truncation is lost.
 * Resolves to whether it was truncated.
 */
export async function rotateLog(path: string, maximumBytes: number = maximumLogBytes): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.size <= maximumBytes) return false
  await copyFile(path, `${path}.1`)
  await truncate(path)
  await dropLogTimes(path)
  return true
}
