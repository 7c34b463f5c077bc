/** The part of Node's `process` that a program's life depends on. */
export interface ProcessHost {
  exitCode?: NodeJS.Process['exitCode']
  once(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown
  removeListener(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** The reason of a stop. */
export class ProcessStopped extends Error {
  override readonly name = 'ProcessStopped'
}

/**
 * Runs a program until it ends or receives SIGTERM or SIGINT; its number becomes the exit code, an
 * error gives 1 after `onError`. A second signal ends the process at once. When the program has
 * ended, the signal aborts, too, so that its background work stops, and the process ends when no
 * work is left. Work that goes on for `lingerMs` milliseconds (default 5 000) is given up: a leader
 * that has lost its lease must end, or nothing restarts it.
 */
export async function runProcess(
  main: (signal: AbortSignal) => Promise<number>,
  onError: (error: unknown) => void,
  { host = process, lingerMs = 5_000 }: { readonly host?: ProcessHost; readonly lingerMs?: number } = {},
): Promise<void> {
  const stop = new AbortController()
  const signals = ['SIGTERM', 'SIGINT'] as const
  const onSignal = (name: NodeJS.Signals): void => {
    forget()
    stop.abort(new ProcessStopped(`The process was asked to stop by ${name}`))
  }
  const forget = (): void => signals.forEach((name) => host.removeListener(name, onSignal))
  for (const name of signals) host.once(name, onSignal)
  const code = await main(stop.signal).catch((error: unknown) => {
    onError(error)
    return 1
  })
  forget()
  host.exitCode = code
  stop.abort(new ProcessStopped('The program has ended'))
  setTimeout(() => host.exit(code), lingerMs).unref()
}
