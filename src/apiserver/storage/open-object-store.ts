import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { createStoreFile } from './journal/journal-schema.ts'
import { Journal } from './journal/journal.ts'
import type { ObjectStore } from './object-store.ts'
import { type OpenedJournal, SqliteStore } from './sqlite-store.ts'
import { corrupt, StoreOpenError, toStoreOpenError } from './journal/store-open-error.ts'
import { lockStore } from './journal/store-lock.ts'
import type { ObjectStoreOptions } from './store-options.ts'

/**
 * Number of revisions skipped after the machine went down with the store open: the disk may have
 * lost the last writes, and their revisions must never show other content.
 */
const epochStep = 1_000_000

/**
 * Opens or creates a store, in milliseconds plus the time to read the live objects. On a full disk
 * it opens for reads and reports a failure. @throws StoreOpenError
 */
export function openObjectStore(options: ObjectStoreOptions): ObjectStore {
  try {
    return open(options)
  } catch (error) {
    throw toStoreOpenError(options.path, error)
  }
}

function open(options: ObjectStoreOptions): ObjectStore {
  const { path } = options
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StoreOpenError('IsDirectory', path, 'the path is a directory; give the path of a file')
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  using stack = new DisposableStack()
  const lock = stack.use(lockStore(path, process.pid, options.now()))
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === 0 && lock.created) throw corrupt(path, 'it is empty')
  if (size === undefined || size === 0) {
    createStoreFile(path)
    lock.markCreated()
  }
  const journal = stack.use(new Journal(path, options.synchronous ?? 'FULL', options.busyTimeoutMs ?? 2000))
  const opened = start(journal, options, () => lock[Symbol.dispose]())
  const store = new SqliteStore(options, opened)
  stack.move()
  return store
}

function start(journal: Journal, options: ObjectStoreOptions, release: () => void): OpenedJournal {
  const marks = journal.marks()
  const boot = options.bootId ?? readBootId()
  const last = Math.max(1, journal.lastRevision(), marks.compactRevision, marks.historyFloor)
  const { compactRevision } = marks
  const inUse = { clean: 0, boot: boot ?? null }
  // Without a reboot, every commit is at least in the page cache, however the process ended.
  if (marks.clean || (boot !== undefined && boot === marks.boot)) {
    const oldest = Math.max(1, compactRevision, marks.historyFloor)
    return { journal, revision: last, oldest, compactRevision, firstMarks: inUse, release }
  }
  // The new floor is stored with the first write. Until then every start derives the same one, also
  // on a full disk, where nothing can be stored.
  const revision = last + epochStep
  return { journal, revision, oldest: revision, compactRevision, firstMarks: { ...inUse, history_floor: revision }, release }
}

function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
