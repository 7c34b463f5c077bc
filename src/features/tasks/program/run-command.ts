import { spawn } from 'node:child_process'
import { exitCodes, TaskFailed } from '../exit-codes.ts'

/** Options of {@link RunCommand}. */
export interface CommandOptions {
  readonly signal: AbortSignal
  /** Variables beside those of this program. */
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
  /** Text of its standard input. Without: empty. */
  readonly input?: string
  /** True: its standard output is returned. False: it is that of this program. Default: false. */
  readonly collects?: boolean
  /** True: the last lines of all that it prints are returned, too. Default: false. */
  readonly keepsLastLines?: boolean
}

/** End of a command. */
export interface CommandResult {
  /** Its exit code, or 128 and the number of the signal that ended it. */
  readonly code: number
  /** Its standard output, where it is collected. */
  readonly output: string
  /** Last lines of its output and its errors, where they are kept. */
  readonly lastLines?: string
}

/**
 * Runs a program of this machine without a shell. Standard error is that of this program. When the
 * signal aborts, it is asked to end, then killed, and the reason is thrown after its end.
 * @throws TaskFailed when there is no such program
 */
export type RunCommand = (command: readonly string[], options: CommandOptions) => Promise<CommandResult>

/** Milliseconds in which a command ends when it is asked to. */
const graceMs = 5_000
/** Most characters of last lines. */
const longestTail = 4_000
const mostLastLines = 20
const signalNumbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGPIPE: 13, SIGTERM: 15 }

/** Makes {@link RunCommand}; `environment` is that of this program. */
export function createRunCommand(environment: Readonly<Record<string, string | undefined>>): RunCommand {
  return ([program = '', ...args], options) =>
    new Promise((resolve, reject) => {
      const { signal, input, collects = false, keepsLastLines = false } = options
      if (signal.aborted) return reject(signal.reason)
      const child = spawn(program, args, {
        cwd: options.directory,
        env: { ...environment, ...options.environment },
        stdio: ['pipe', collects || keepsLastLines ? 'pipe' : 'inherit', keepsLastLines ? 'pipe' : 'inherit'],
      })
      let killing: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        child.kill('SIGTERM')
        killing = setTimeout(() => child.kill('SIGKILL'), graceMs)
      }
      const settle = (finish: () => void): void => {
        clearTimeout(killing)
        signal.removeEventListener('abort', onAbort)
        finish()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const output: Buffer[] = []
      if (collects) child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
      let tail = ''
      if (keepsLastLines)
        for (const [from, to] of [
          [child.stdout, process.stdout],
          [child.stderr, process.stderr],
        ] as const)
          from?.on('data', (chunk: Buffer) => {
            to.write(chunk)
            tail = (tail + chunk.toString()).slice(-longestTail)
          })
      // It may end before it has read everything.
      child.stdin?.on('error', () => {})
      child.stdin?.end(input ?? '')
      child.once('error', (cause) =>
        settle(() =>
          reject(
            new TaskFailed(exitCodes.preconditionFailed, `Cannot run "${program}": ${cause.message}; install it in the image`, { cause }),
          ),
        ),
      )
      child.once('close', (code, killedBy) =>
        settle(() => {
          if (signal.aborted) reject(signal.reason)
          else
            resolve({
              code: code ?? 128 + (signalNumbers[killedBy ?? ''] ?? 0),
              output: Buffer.concat(output).toString(),
              ...(keepsLastLines ? { lastLines: tail.trimEnd().split('\n').slice(-mostLastLines).join('\n') } : {}),
            })
        }),
      )
    })
}
