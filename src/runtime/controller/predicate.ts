import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CacheEvent } from '../cache/lister.ts'

/** Whether an event matters. */
export type Predicate<T> = (event: CacheEvent<T>) => boolean

/**
 * Lets pass what changes the desired state: creation, deletion, a new generation, new labels or
 * annotations, a deletion asked for.
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

/** Lets pass what all of them let pass. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event))
}

/** Lets pass objects of which the function holds; updates also when it held before. */
export function whenObject<T>(test: (object: T) => boolean): Predicate<T> {
  return (event) => test(event.object) || (event.type === 'updated' && test(event.old))
}

function sameEntries(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
