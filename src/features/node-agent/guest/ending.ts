/** Final phase of a guest, and its cause. */
export interface Ending {
  readonly phase: 'Succeeded' | 'Failed'
  readonly reason: string
  readonly message: string
}

/** Maps a final run state of QEMU to its ending; undefined while the guest lives. */
export function endingOf(runState: string): Ending | undefined {
  if (runState === 'shutdown') return { phase: 'Succeeded', reason: 'GuestShutdown', message: 'the guest powered off' }
  if (runState === 'guest-panicked') return { phase: 'Failed', reason: 'GuestPanicked', message: 'the guest panicked' }
  if (runState === 'internal-error')
    return { phase: 'Failed', reason: 'InternalError', message: 'QEMU cannot go on: see the log of its pod' }
  return undefined
}
