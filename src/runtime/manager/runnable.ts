/** Something that works until it is told to stop. */
export interface Runnable {
  /**
   * Resolves soon after the signal aborts, with nothing left running. Rejecting means that the
   * process cannot go on.
   */
  run(signal: AbortSignal): Promise<void>
}
