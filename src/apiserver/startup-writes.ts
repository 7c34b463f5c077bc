import type { HealthCheck } from './discovery/health.ts'
import type { ObjectStore } from './storage/object-store.ts'

/** Options of {@link createStartupWrites}. */
export interface StartupWritesOptions {
  readonly store: Pick<ObjectStore, 'failure'>
  readonly log: { error(fields: Readonly<Record<string, unknown>>, message: string): void }
}

/**
 * Writes that a start needs. While the disk refuses them, the server starts without them and is not
 * ready.
 */
export interface StartupWrites {
  /**
   * Runs the writes, which must be idempotent. When storage fails, resolves all the same and
   * repeats them at {@link resume}. Rejects with every other error.
   */
  run(name: string, write: () => Promise<void>): Promise<void>
  /** Repeats what storage refused. Call it when writes work again. */
  resume(): void
  /** One check a run: fails until its writes are done. Kubernetes calls them post-start hooks. */
  readonly checks: readonly HealthCheck[]
}

/** Lets a server start on a full disk, as reads are needed to find the cause. */
export function createStartupWrites({ store, log }: StartupWritesOptions): StartupWrites {
  const unfinished = new Set<string>()
  const waiting = new Map<string, () => Promise<void>>()
  const checks: HealthCheck[] = []

  const attempt = async (name: string, write: () => Promise<void>): Promise<void> => {
    waiting.delete(name)
    try {
      await write()
      unfinished.delete(name)
    } catch (error) {
      if (store.failure === undefined) throw error
      log.error({ err: error, hook: name }, 'Storage refused writes of the start: they are repeated when writes work again')
      waiting.set(name, write)
    }
  }
  return {
    checks,
    run(name, write) {
      unfinished.add(name)
      checks.push({
        name: `poststarthook/${name}`,
        problem: () => (waiting.has(name) ? 'not finished: storage refuses writes' : unfinished.has(name) ? 'not finished' : undefined),
      })
      return attempt(name, write)
    },
    resume() {
      for (const [name, write] of waiting) {
        attempt(name, write).catch((error: unknown) => {
          log.error({ err: error, hook: name }, 'Writes of the start failed: they are repeated when storage recovers')
          waiting.set(name, write)
        })
      }
    },
  }
}
