import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CacheEvent } from '../cache/lister.ts'
import type { Clock } from '../clock/clock.ts'

/** A creation in progress. Exactly one of its methods must be called at its end. */
export interface PendingCreation {
  /** The server has created the object with this uid. */
  created(uid: string): void
  /**
   * Nothing was created. After a broken connection that is a guess: then reconcile from a fresh
   * read.
   */
  failed(): void
}

/**
 * Records, per controlled object, creations and deletions that the cache does not show yet. A
 * controller that counts its dependents must not act on open expectations, or it would create the
 * same object twice.
 */
export interface Expectations {
  /** Call before creating. */
  willCreate(key: string): PendingCreation
  /** Call before deleting the object with this uid. */
  willDelete(key: string, uid: string): void
  /** The deletion failed. */
  deletionFailed(key: string, uid: string): void
  /** Feed every event of the dependents' informer. */
  observe(event: CacheEvent<KubeObject>): void
  /** Reports whether the cache shows all writes for this key, or the time limit has passed. */
  satisfied(key: string): boolean
  /** Forgets a deleted object. */
  forget(key: string): void
}

/** Returns `namespace/name/uid`: a successor of the same name has its own key. */
export function expectationKey({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}/${metadata?.uid ?? ''}`
}

/** Options of {@link createExpectations}. */
export interface ExpectationsOptions {
  readonly clock: Clock
  /** Milliseconds after which an open expectation is ignored. Default 300 000, as in Kubernetes. */
  readonly timeoutMs?: number
}

/** Creates an empty record. */
export function createExpectations(options: ExpectationsOptions): Expectations {
  return new UidExpectations(options)
}

/** Open expectations of one key: uids (or creations without one yet), with their deadline. */
interface Open {
  readonly creations: Set<symbol>
  readonly appearing: Map<string, number>
  readonly vanishing: Map<string, number>
}

class UidExpectations implements Expectations {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #open = new Map<string, Open>()
  /** Creations without known uid. */
  #inFlight = 0
  /** Uids that appeared meanwhile: the watch may be faster than the answer to the creation. */
  readonly #early = new Set<string>()

  constructor(options: ExpectationsOptions) {
    this.#clock = options.clock
    this.#timeoutMs = options.timeoutMs ?? 300_000
  }

  willCreate(key: string): PendingCreation {
    const open = this.#openOf(key)
    const token = Symbol(key)
    open.creations.add(token)
    this.#inFlight++
    const end = (uid: string | undefined): void => {
      if (!open.creations.delete(token)) return
      if (uid !== undefined && !this.#early.has(uid)) open.appearing.set(uid, this.#clock.now() + this.#timeoutMs)
      if (--this.#inFlight === 0) this.#early.clear()
      this.#tidy(key)
    }
    return { created: end, failed: () => end(undefined) }
  }

  willDelete(key: string, uid: string): void {
    this.#openOf(key).vanishing.set(uid, this.#clock.now() + this.#timeoutMs)
  }

  deletionFailed(key: string, uid: string): void {
    this.#open.get(key)?.vanishing.delete(uid)
    this.#tidy(key)
  }

  observe(event: CacheEvent<KubeObject>): void {
    const { uid } = event.object.metadata ?? {}
    if (uid === undefined) return
    if (this.#inFlight > 0) this.#early.add(uid)
    const leaving = event.type === 'deleted' || isBeingDeleted(event.object)
    for (const [key, open] of this.#open) {
      const seen = open.appearing.delete(uid)
      const gone = leaving && open.vanishing.delete(uid)
      if (seen || gone) this.#tidy(key)
    }
  }

  satisfied(key: string): boolean {
    const open = this.#open.get(key)
    if (open === undefined) return true
    if (open.creations.size > 0) return false
    const now = this.#clock.now()
    return [...open.appearing.values(), ...open.vanishing.values()].every((until) => until <= now)
  }

  forget(key: string): void {
    this.#open.delete(key)
  }

  #openOf(key: string): Open {
    return this.#open.getOrInsertComputed(key, () => ({ creations: new Set<symbol>(), appearing: new Map(), vanishing: new Map() }))
  }

  #tidy(key: string): void {
    const open = this.#open.get(key)
    if (open !== undefined && open.creations.size + open.appearing.size + open.vanishing.size === 0) this.#open.delete(key)
  }
}
