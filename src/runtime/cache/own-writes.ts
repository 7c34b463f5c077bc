import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { Clock } from '../clock/clock.ts'

/**
 * Records the writes of this process. A reconcile that another event triggers before the watch
 * delivers the write would decide on a stale object and repeat the write, which the server refuses
 * as a conflict.
 */
export interface OwnWrites {
  /** Takes the answer to a write. */
  note(written: KubeObject): void
  /**
   * Reports whether a cached object is older than the last write. The pending watch event will
   * requeue it.
   */
  isBehind(cached: KubeObject): boolean
}

/** Options of {@link createOwnWrites}. */
export interface OwnWritesOptions {
  readonly clock: Pick<Clock, 'now'>
  /**
   * Milliseconds after which the cache is accepted in any case: the server may have been restored
   * from a backup. Default {@link patienceMs}.
   */
  readonly patienceMs?: number
}

/** Milliseconds for which a watch event is waited for. */
export const patienceMs = 5_000

/** Creates an empty record. */
export function createOwnWrites({ clock, patienceMs: ms = patienceMs }: OwnWritesOptions): OwnWrites {
  /** By uid, the oldest first. */
  const written = new Map<string, { readonly version: string | undefined; readonly until: number }>()
  const forgetOld = (): void => {
    for (const [uid, { until }] of written) {
      if (until > clock.now()) return
      written.delete(uid)
    }
  }
  return {
    note({ metadata }) {
      forgetOld()
      if (metadata?.uid === undefined) return
      // Deleted first, so that it is inserted at the end.
      written.delete(metadata.uid)
      written.set(metadata.uid, { version: metadata.resourceVersion, until: clock.now() + ms })
    },
    isBehind({ metadata }) {
      forgetOld()
      const known = written.get(metadata?.uid ?? '')
      if (known === undefined) return false
      if ((compareResourceVersions(metadata?.resourceVersion, known.version) ?? 0) < 0) return true
      written.delete(metadata?.uid ?? '')
      return false
    },
  }
}
