import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile } from '#runtime/process/claim-file.ts'
import { allocateUidRange, rangeSize } from '#runtime/isolation/uid-ranges.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'

/** Folders that the node agents of a machine share. */
export interface UserFolders {
  /** Ranges of user ids, see {@link allocateUidRange}. */
  readonly ranges: string
  /** The users of VMs: one file for each. */
  readonly users: string
}

/** Owner of the range from which VMs have their users: no uid of a namespace. */
const rangeOwner = 'guests'
const attempts = 64

/**
 * Returns the user id of a VM, `namespace/name`: the same on all nodes of the machine and for ever,
 * since files of the VM outlive its guest. It is not in the range of a namespace, whose pods choose
 * their user freely there. @throws UnsupportedGuest when all are taken
 */
export function allocateGuestUser({ ranges, users }: UserFolders, key: string): number {
  mkdirSync(users, { recursive: true, mode: 0o700 })
  const first = allocateUidRange(ranges, rangeOwner)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const offset = createHash('sha256').update(`${key}#${attempt}`).digest().readUInt32BE() % rangeSize
    if (claimFile(join(users, String(offset)), key)) return first + offset
  }
  throw new UnsupportedGuest(`no user id is left for the guest: remove files of VMs that are gone from "${users}"`)
}
