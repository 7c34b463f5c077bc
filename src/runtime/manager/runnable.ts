/** Work that runs until it is stopped. */
export interface Runnable {
  /**
   * Resolves soon after the signal aborts, with nothing left running. Rejecting means that the
   * process cannot continue.
   */
  run(signal: AbortSignal): Promise<void>
}
