import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** One object at one revision, as every reader shares it. */
export interface Entry {
  /** Deeply immutable by convention; `metadata.resourceVersion` equals `revision`. */
  readonly object: KubeObject
  readonly revision: number
  /** JSON of `object`, without a trailing line feed. Made at commit, once. */
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

/** A write to be committed. */
export interface Write {
  readonly resource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  /**
   * Revision that the object must have now, counting writes that wait for commit; 0: must not
   * exist.
   */
  readonly expected: number
  /** New content (the store stamps `metadata.resourceVersion`), or undefined to delete. */
  readonly object: KubeObject | undefined
  /**
   * Told at once, when the write is accepted, how its entry will look: before the commit, and so
   * before any subscriber sees it.
   */
  readonly onAccepted?: (entry: Entry) => void
}

/** The stored revision was not the expected one. `actual` 0: no such object. */
export class RevisionMismatch extends Error {
  override readonly name = 'RevisionMismatch'
  readonly actual: number
  constructor(actual: number) {
    super(`stored revision is ${actual}`)
    this.actual = actual
  }
}

/** Changes after this revision are no longer all known. */
export class RevisionCompacted extends Error {
  override readonly name = 'RevisionCompacted'
  readonly oldest: number
  constructor(oldest: number) {
    super(`history starts at ${oldest}`)
    this.oldest = oldest
  }
}

/** The disk refused. The server turns not ready, and says why. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed'
}

/**
 * Which changes of a resource a subscriber wants to hear of: so that of ten thousand only those are
 * called that a change is for. Default: all.
 */
export interface Interest {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
  /** Default: all names. */
  readonly name?: string | undefined
  /**
   * Selects further. Of those that give the same key, and so must select the same, one is asked for
   * all.
   */
  readonly selection?: { readonly key: string; readonly concerns: (change: Change) => boolean } | undefined
}

/**
 * Durable objects with one global revision, and the only place that knows SQLite. Reads never touch
 * the disk: what is committed is in memory, and nothing is visible before its commit.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Newest published revision. */
  readonly revision: number
  get(resource: string, namespace: string, name: string): Entry | undefined
  /**
   * What a writer must read to compute its next state: like get, but sees writes that wait for
   * commit.
   */
  getPending(resource: string, namespace: string, name: string): Entry | undefined
  /** Sorted by namespace, then name. */
  list(resource: string, namespace?: string): readonly Entry[]
  /** State at an older revision, for pages and exact reads. @throws RevisionCompacted */
  listAt(resource: string, namespace: string | undefined, revision: number): readonly Entry[]
  /** Entries whose index function gave this value. */
  byIndex(resource: string, index: string, value: string): readonly Entry[]
  addIndex(resource: string, index: string, values: (object: KubeObject) => readonly string[]): void
  /**
   * Resolves after the commit is durable and published. @throws RevisionMismatch at once,
   * StorageFailed at commit.
   */
  write(write: Write): Promise<Entry>
  /**
   * Calls back for each later change of the resource ('' for all resources), synchronously after
   * commit and in order. With `after`, first replays the changes with a greater revision. With
   * `interest`, changes that have nothing to do with it need not be told, but may be: the listener
   * looks itself. @throws RevisionCompacted
   */
  subscribe(resource: string, after: number | undefined, listener: (change: Change) => void, interest?: Interest): Disposable
  /** Objects by resource, bytes, commit latencies: for metrics. */
  stats(): StoreStats
  /** The reason for which writes fail now, or undefined. */
  readonly failure: Error | undefined
}

/** Counters of a store, for metrics and health. */
export interface StoreStats {
  readonly objects: ReadonlyMap<string, number>
  readonly commits: number
  readonly writes: number
  readonly databaseBytes: number
  readonly walBytes: number
  /** Milliseconds that half of the latest commits took at most, fsync included. */
  readonly commitMsP50: number
  /** Milliseconds that 99 % of the latest commits took at most. */
  readonly commitMsP99: number
  /** Oldest revision after which all changes are known. */
  readonly oldestRevision: number
}
