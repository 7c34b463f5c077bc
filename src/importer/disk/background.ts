/** Work that goes on beside other work: one piece at a time. Disposal waits for its end. */
export interface Background extends AsyncDisposable {
  readonly isBusy: boolean
  /** Starts a piece. It must not be busy. */
  start(work: () => Promise<void>): void
  /** Waits for the last piece. @throws what a piece has failed with */
  end(): Promise<void>
}

/** Creates a background without work. */
export function createBackground(): Background {
  let running: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  return {
    get isBusy() {
      return running !== undefined
    },
    start(work) {
      running = work()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => (running = undefined))
    },
    async end() {
      await running
      if (failure !== undefined) throw failure.error
    },
    async [Symbol.asyncDispose]() {
      await running
    },
  }
}
