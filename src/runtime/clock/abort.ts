/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Returns the promise's outcome, or the fallback as soon as the signal aborts. Leaves no listener
 * behind: signals may outlive their waiters by far, and a combined signal with a listener is never
 * collected.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, fallback: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(fallback)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
