import { compareResourceVersions } from '#client/resource-version.ts'
import { patienceMs } from '#runtime/cache/own-writes.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ComponentObject } from '../../reconcile/observe.ts'

/**
 * Objects as this process has written them last. A pass that another event triggers before the
 * watch delivers a write would repeat the write.
 */
export interface LatestObjects {
  note(component: string, written: ComponentObject): void
  /** Returns the newer one of the cached object and the last write. */
  newer(component: string, cached: ComponentObject | undefined): ComponentObject | undefined
  /** Milliseconds after which the cache is believed again; undefined: it is believed. */
  readonly waitMs: number | undefined
}

/** Creates an empty record. */
export function createLatestObjects(clock: Pick<Clock, 'now'>): LatestObjects {
  const known = new Map<string, { readonly object: ComponentObject; readonly until: number }>()
  return {
    note: (component, object) => void known.set(component, { object, until: clock.now() + patienceMs }),
    newer(component, cached) {
      const last = known.get(component)
      if (last === undefined) return cached
      const isBehind =
        cached === undefined || (compareResourceVersions(cached.metadata?.resourceVersion, last.object.metadata?.resourceVersion) ?? 0) < 0
      if (isBehind && last.until > clock.now()) return last.object
      known.delete(component)
      return cached
    },
    get waitMs() {
      return known.size === 0 ? undefined : Math.max(1, ...[...known.values()].map(({ until }) => until - clock.now()))
    },
  }
}
