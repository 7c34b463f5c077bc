import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { ObjectStore } from './object-store.ts'

/** Options of {@link runAfterChanges}. */
export interface AfterChangesOptions {
  readonly store: Pick<ObjectStore, 'subscribe'>
  /** Storage keys of the resources whose changes start a pass. */
  readonly keys: readonly string[]
  /** Brings what is derived from these resources up to date. Disposing aborts the signal. */
  readonly pass: (signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** A running {@link runAfterChanges}. Disposing ends it. */
export interface AfterChanges extends Disposable {
  /** Resolves when no pass runs or is due. */
  settled(): Promise<void>
}

/**
 * Runs a pass at start and after changes: one at a time, and once for changes of the same turn. A
 * pass that loses against a concurrent write is not an error: this write starts the next pass.
 */
export function runAfterChanges({ store, keys, pass, onError }: AfterChangesOptions): AfterChanges {
  const held = new DisposableStack()
  const stopped = new AbortController()
  held.defer(() => stopped.abort())
  let due = false
  let running: Promise<void> | undefined

  const work = async (): Promise<void> => {
    await new Promise(setImmediate)
    while (due && !held.disposed) {
      due = false
      try {
        await pass(stopped.signal)
      } catch (error) {
        if (!held.disposed && !isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) onError(error)
      }
    }
  }
  const schedule = (): void => {
    due = true
    running ??= work().finally(() => (running = undefined))
  }

  for (const key of keys) held.use(store.subscribe(key, undefined, schedule))
  schedule()
  return {
    async settled() {
      while (running !== undefined) await running
    },
    [Symbol.dispose]: () => held.dispose(),
  }
}
