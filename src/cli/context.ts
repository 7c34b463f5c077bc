import type { CommandContext } from '@stricli/core'

/** Process, clock and signal of a command, replaceable in tests. */
export interface CliContext extends CommandContext {
  readonly process: CliProcess
  readonly now: () => number
  /** Rejects with the reason of the signal when that is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** The part of `process` that commands use. */
export interface CliProcess {
  readonly stdout: CliStream
  readonly stderr: CliStream
  readonly stdin: NodeJS.ReadStream
  readonly env: Readonly<Record<string, string | undefined>>
  exitCode?: number | string | null
}

/** An output stream. */
export interface CliStream {
  write(text: string): void
  readonly isTTY?: boolean
  getColorDepth?(env?: Readonly<Record<string, string | undefined>>): number
}

/** Exit codes of all commands. */
export const EXIT = { ok: 0, error: 1, findings: 2, refused: 3, timeout: 124 } as const

/** An expected error: its message is printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode: number = EXIT.error, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
