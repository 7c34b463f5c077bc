import type { QmpConnection } from './connection.ts'

/**
 * Resolves when the state should be queried again: after an event of QEMU, or a time limit. Events
 * between two waits are not lost.
 */
export interface Changes extends Disposable {
  /**
   * Resolves at the next event, at once if there was one since the last call, and in any case after
   * `ms`.
   */
  next(ms: number): Promise<void>
}

/** Starts to listen. */
export function watchChanges(qmp: QmpConnection): Changes {
  let isNew = false
  let wake: () => void = () => {}
  const listening = qmp.onEvent(() => {
    isNew = true
    wake()
  })
  void qmp.closed.then(() => wake())
  return {
    async next(ms) {
      if (!isNew) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = setTimeout(resolve, ms)
        await promise
        clearTimeout(timer)
      }
      isNew = false
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
