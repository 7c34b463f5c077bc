import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CacheEvent } from '../cache/lister.ts'

/** Reports whether an event is relevant. */
export type Predicate<T> = (event: CacheEvent<T>) => boolean

/**
 * Passes changes of the desired state: creation, deletion, a new generation, new labels or
 * annotations, a deletion timestamp.
 */
export function desiredStateChanged(event: CacheEvent<KubeObject>): boolean {
  if (event.type !== 'updated' || event.old === event.object) return true
  const [now, before] = [event.object.metadata ?? {}, event.old.metadata ?? {}]
  return (
    now.generation !== before.generation ||
    now.deletionTimestamp !== before.deletionTimestamp ||
    !sameEntries(now.labels, before.labels) ||
    !sameEntries(now.annotations, before.annotations)
  )
}

/** Passes events that all predicates pass. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event))
}

/** Passes objects that match the function; updates also when the old object matched. */
export function whenObject<T>(test: (object: T) => boolean): Predicate<T> {
  return (event) => test(event.object) || (event.type === 'updated' && test(event.old))
}

function sameEntries(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
