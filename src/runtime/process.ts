/**
 * Runs a program until it ends or is asked to by SIGTERM or SIGINT; its number becomes the exit code, an error gives 1 after `onError`. A second
 * signal ends the process at once. Nothing is killed: the process ends when nothing is left to do.
 */
export async function runProcess(main: (signal: AbortSignal) => Promise<number>, onError: (error: unknown) => void): Promise<void> {
  const stop = new AbortController()
  const signals = ['SIGTERM', 'SIGINT'] as const
  const onSignal = (name: NodeJS.Signals): void => {
    forget()
    stop.abort(new ProcessStopped(`The process was asked to stop by ${name}`))
  }
  const forget = (): void => signals.forEach((name) => process.removeListener(name, onSignal))
  for (const name of signals) process.once(name, onSignal)
  try {
    process.exitCode = await main(stop.signal)
  } catch (error) {
    onError(error)
    process.exitCode = 1
  } finally {
    forget()
  }
}

/** The reason of a stop that was asked for. */
export class ProcessStopped extends Error {
  override readonly name = 'ProcessStopped'
}
