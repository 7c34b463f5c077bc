import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { Clock } from '../clock.ts'

/**
 * Remembers what a process has written itself. Whoever is woken by something else before the watch
 * shows that would decide on what is over, and write it again: a request for nothing, which the
 * server refuses as a conflict.
 */
export interface OwnWrites {
  /** Takes the answer to a write. */
  note(written: KubeObject): void
  /**
   * Whether a cached object is older than what was written. Its watch event is still to come, and
   * will wake whoever waits for it.
   */
  isBehind(cached: KubeObject): boolean
}

/** Options of {@link createOwnWrites}. */
export interface OwnWritesOptions {
  readonly clock: Pick<Clock, 'now'>
  /**
   * Milliseconds after which the cache is believed whatever it shows: the server may have gone back
   * in time. Default {@link patienceMs}.
   */
  readonly patienceMs?: number
}

/** Milliseconds for which a watch event is waited for. */
export const patienceMs = 5_000

/** Makes a memory of nothing. */
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
      // Taken out first, so that it comes last.
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
