import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile, readOwner } from '../process/claim-file.ts'

/** User ids of one namespace, or of all guests: the first one and those after it. */
export const rangeSize = 65_536

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
 * First user id of an owner, such as the uid of a namespace: the same one for all processes of this
 * machine as long as the directory exists. A range is never given to another owner, so that files
 * that outlive it do not get a new owner. Each file of the directory is one range.
 *
 * @throws UidRangesExhausted
 */
export function allocateUidRange(directory: string, owner: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const taken = readdirSync(directory)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const own = taken.find((index) => readOwner(join(directory, String(index))) === owner)
  if (own !== undefined) return firstUid + own * rangeSize
  for (let index = Math.max(-1, ...taken) + 1; index < rangeCount; index++) {
    if (claimFile(join(directory, String(index)), owner)) return firstUid + index * rangeSize
  }
  throw new UidRangesExhausted(`All ${rangeCount} ranges of user ids in "${directory}" are taken: create a new STEADYVM_HOME`)
}
