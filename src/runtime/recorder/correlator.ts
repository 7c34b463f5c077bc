import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { Clock } from '../clock/clock.ts'
import type { Random } from '../process/random.ts'
import { TokenBucket } from '../workqueue/rate-limiter.ts'

/** An event that was seen once or many times. Its counts grow while others hold it. */
export interface Occurrence {
  readonly namespace: string
  readonly reference: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly count: number
  /** Milliseconds since the epoch. */
  readonly firstMs: number
  readonly lastMs: number
  /** Name of the Event object that holds it, once there is one. */
  readonly storedName: string | undefined
  stored(name: string): void
  /** A fresh name for an Event object. */
  newName(): string
}

/** Finds out which events are the same, and which are too many. */
export interface EventCorrelator {
  /** Undefined: this object has had too many events lately. */
  observe(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): Occurrence | undefined
}

/** Maximum number of cached occurrences and buckets. */
const memoryLimit = 4096
/** As in Kubernetes: per object 25 at once, then one in five minutes. */
const spam = { perSecond: 1 / 300, burst: 25 }
/**
 * As in Kubernetes: after 10 messages for the same reason within 10 minutes, they are counted as
 * one.
 */
const similar = { limit: 10, windowMs: 600_000 }

/** Creates an empty correlator. */
export function createEventCorrelator(clock: Clock, random: Random): EventCorrelator {
  return new Correlator(clock, random)
}

class Correlator implements EventCorrelator {
  readonly #clock: Clock
  readonly #occurrences = new Map<string, CountedOccurrence>()
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #groups = new Map<string, { readonly messages: Set<string>; lastMs: number }>()
  /**
   * Starts anywhere, so that two processes that report about one object in the same millisecond
   * choose different names.
   */
  #serial: number

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#serial = Math.floor(random() * 1_000_000)
  }

  observe(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): Occurrence | undefined {
    const reference = referenceTo(object)
    const subject = `${reference.kind ?? ''}/${reference.namespace ?? ''}/${reference.name ?? ''}/${reference.uid ?? ''}`
    const bucket = remember(this.#buckets, subject, () => new TokenBucket(this.#clock, spam.perSecond, spam.burst))
    if (!bucket.tryTake()) return undefined
    const group = `${subject}/${type}/${reason}`
    const combined = this.#isCrowded(group, message)
    const text = combined ? `(combined from similar events): ${message}` : message
    const make = (): CountedOccurrence =>
      new CountedOccurrence({ reference, type, reason, nowMs: this.#clock.now(), serial: this.#serial++ })
    const occurrence = remember(this.#occurrences, combined ? group : `${group}/${message}`, make)
    occurrence.seen(this.#clock.now(), text)
    return occurrence
  }

  #isCrowded(key: string, message: string): boolean {
    const now = this.#clock.now()
    const group = remember(this.#groups, key, () => ({ messages: new Set<string>(), lastMs: now }))
    if (now - group.lastMs > similar.windowMs) group.messages.clear()
    group.lastMs = now
    if (group.messages.has(message)) return false
    if (group.messages.size >= similar.limit) return true
    group.messages.add(message)
    return false
  }
}

class CountedOccurrence implements Occurrence {
  readonly namespace: string
  readonly reference: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly firstMs: number
  readonly #serial: number
  #names = 0
  message = ''
  count = 0
  lastMs: number
  storedName: string | undefined

  constructor(from: { reference: ObjectReference; type: 'Normal' | 'Warning'; reason: string; nowMs: number; serial: number }) {
    this.reference = from.reference
    // Events about cluster-scoped objects live in the default namespace.
    this.namespace = (from.reference.namespace ?? '') === '' ? 'default' : (from.reference.namespace ?? '')
    this.type = from.type
    this.reason = from.reason
    this.firstMs = this.lastMs = from.nowMs
    this.#serial = from.serial
  }

  seen(nowMs: number, message: string): void {
    this.count++
    this.lastMs = nowMs
    this.message = message
  }

  stored(name: string): void {
    this.storedName = name
  }

  newName(): string {
    const unique = (BigInt(Math.round(this.firstMs)) * 1_000_000n + BigInt((this.#serial * 16 + this.#names++) % 1_000_000)).toString(16)
    return `${(this.reference.name ?? '').slice(0, 253 - unique.length - 1)}.${unique}`
  }
}

/** Gets or creates an entry of a map that evicts the least recently used one. */
function remember<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  if (map.size > memoryLimit) map.delete(map.keys().next().value ?? '')
  return value
}

function referenceTo(object: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {}
  return {
    ...(object.apiVersion === undefined ? {} : { apiVersion: object.apiVersion }),
    ...(object.kind === undefined ? {} : { kind: object.kind }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}
