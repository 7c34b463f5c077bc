import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file so that readers see the old or the new content, never a part. Not flushed to the
 * disk: what it must survive is the death of this process, and after a crash of the whole machine
 * the recorded processes are gone with it.
 */
export function writeFileAtomically(path: string, content: string | Uint8Array, mode: number = 0o600): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.new`
  writeFileSync(temporary, content, { mode })
  renameSync(temporary, path)
}

/**
 * Parsed content of a JSON file; undefined when it is absent or was torn by a crash of the machine.
 */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return undefined
  }
}
