import { mkdirSync, readdirSync, readFileSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rangeSize } from './pod-identity.ts'

/**
 * systemd reserves the ids from here to `lastUid` for containers; no account of a person is among
 * them.
 */
const firstUid = 524_288
const lastUid = 1_879_048_191
const rangeCount = Math.floor((lastUid + 1 - firstUid) / rangeSize)

/** All ranges of user ids are taken. */
export class UidRangesExhausted extends Error {
  override readonly name = 'UidRangesExhausted'
}

/**
 * First user id of a namespace: the same one for all kubelets of this machine as long as the
 * directory exists. A range is never given to another namespace, so that files that outlive their
 * namespace do not get a new owner. Each file of the directory is one range and holds the uid of
 * its namespace; a hard link takes a number atomically, with its content.
 *
 * @throws UidRangesExhausted
 */
export function allocateUidRange(directory: string, namespaceUid: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const taken = takenRanges(directory)
  const own = taken.find((index) => ownerOf(directory, index) === namespaceUid)
  if (own !== undefined) return firstUid + own * rangeSize
  const temporary = join(directory, `.${namespaceUid}-${process.pid}`)
  writeFileSync(temporary, namespaceUid, { mode: 0o600 })
  try {
    for (let index = Math.max(-1, ...taken) + 1; index < rangeCount; index++) {
      if (take(temporary, join(directory, String(index))) || ownerOf(directory, index) === namespaceUid) return firstUid + index * rangeSize
    }
  } finally {
    rmSync(temporary, { force: true })
  }
  throw new UidRangesExhausted(`All ${rangeCount} ranges of user ids in "${directory}" are taken: create a new STEADYVM_HOME`)
}

function takenRanges(directory: string): readonly number[] {
  return readdirSync(directory)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function ownerOf(directory: string, index: number): string {
  return readFileSync(join(directory, String(index)), 'utf8')
}

function take(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
