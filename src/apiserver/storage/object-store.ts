import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** One object at one revision, shared by all readers. */
export interface Entry {
  /** Deeply immutable by convention; `metadata.resourceVersion` equals `revision`. */
  readonly object: KubeObject
  readonly revision: number
  /** JSON of `object` without a trailing line feed, encoded once at commit. */
  readonly json: Buffer
}

/** One committed change, in commit order. Revisions strictly increase. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** Storage key of the resource, `group/plural` (core: `/pods`). */
  readonly resource: string
  readonly revision: number
  /** The new state; for DELETED the last state, restamped with the deletion's revision. */
  readonly entry: Entry
  /** State before the change; undefined for ADDED. */
  readonly previous: Entry | undefined
}

/** A requested write. */
export interface Write {
  readonly resource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  /** Revision that the object must have now, pending writes included; 0: must not exist. */
  readonly expected: number
  /** New content (the store stamps `metadata.resourceVersion`), or undefined to delete. */
  readonly object: KubeObject | undefined
  /**
   * Called synchronously when the write is accepted, with its future entry: before the commit, and
   * before any subscriber sees it.
   */
  readonly onAccepted?: (entry: Entry) => void
}

/** The stored revision is not the expected one. `actual` 0: no such object. */
export class RevisionMismatch extends Error {
  override readonly name = 'RevisionMismatch'
  readonly actual: number
  constructor(actual: number) {
    super(`stored revision is ${actual}`)
    this.actual = actual
  }
}

/** Changes after this revision are partly compacted. */
export class RevisionCompacted extends Error {
  override readonly name = 'RevisionCompacted'
  readonly oldest: number
  constructor(oldest: number) {
    super(`history starts at ${oldest}`)
    this.oldest = oldest
  }
}

/** The disk refused a write. The server is not ready until writes work again. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed'
}

/**
 * Restricts the changes that a subscriber receives, so that a change of one object calls a few of
 * ten thousand watchers. Default: all.
 */
export interface Interest {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
  /** Default: all names. */
  readonly name?: string | undefined
  /**
   * Further selection. Subscribers with the same key must select the same; one of them is asked for
   * all.
   */
  readonly selection?: { readonly key: string; readonly concerns: (change: Change) => boolean } | undefined
}

/**
 * Durable objects with one global revision. Committed objects are in memory, so reads never touch
 * the disk, and nothing is visible before its commit.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Newest published revision. */
  readonly revision: number
  get(resource: string, namespace: string, name: string): Entry | undefined
  /**
   * Like get, but includes pending writes: the state that a writer must compute its next state
   * from.
   */
  getPending(resource: string, namespace: string, name: string): Entry | undefined
  /** Sorted by namespace, then name. */
  list(resource: string, namespace?: string): readonly Entry[]
  /** State at an older revision, for pages and exact reads. @throws RevisionCompacted */
  listAt(resource: string, namespace: string | undefined, revision: number): readonly Entry[]
  /** Entries for which the index function returned this value. */
  byIndex(resource: string, index: string, value: string): readonly Entry[]
  addIndex(resource: string, index: string, values: (object: KubeObject) => readonly string[]): void
  /**
   * Resolves after the commit is durable and published. @throws RevisionMismatch at once,
   * StorageFailed at commit.
   */
  write(write: Write): Promise<Entry>
  /**
   * Calls back for each later change of the resource ('' for all), synchronously after the commit
   * and in order. With `after`, first replays changes with a greater revision. With `interest`,
   * irrelevant changes may be skipped, so the listener must check itself. @throws RevisionCompacted
   */
  subscribe(resource: string, after: number | undefined, listener: (change: Change) => void, interest?: Interest): Disposable
  /** Objects by resource, bytes and commit latencies, for metrics. */
  stats(): StoreStats
  /** Reason why writes fail now, or undefined. */
  readonly failure: Error | undefined
}

/** Counters for metrics and health. */
export interface StoreStats {
  readonly objects: ReadonlyMap<string, number>
  readonly commits: number
  readonly writes: number
  readonly databaseBytes: number
  readonly walBytes: number
  /** Median of recent commits, fsync included. */
  readonly commitMsP50: number
  /** 99th percentile of recent commits. */
  readonly commitMsP99: number
  /** Oldest revision after which all changes are known. */
  readonly oldestRevision: number
}
