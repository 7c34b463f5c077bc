/** How a guest ended. */
export interface Ending {
  readonly phase: 'Succeeded' | 'Failed'
  readonly reason: string
  readonly message: string
}

/** What a run state means for good; undefined while the guest lives. */
export function endingOf(runState: string): Ending | undefined {
  if (runState === 'shutdown') return { phase: 'Succeeded', reason: 'GuestShutdown', message: 'the guest powered off' }
  if (runState === 'guest-panicked') return { phase: 'Failed', reason: 'GuestPanicked', message: 'the guest panicked' }
  if (runState === 'internal-error')
    return { phase: 'Failed', reason: 'InternalError', message: 'QEMU cannot go on: see the log of its pod' }
  return undefined
}
