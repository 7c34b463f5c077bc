import type { Readable, Writable } from 'node:stream'
import type { TerminalSize } from './session.ts'

/** Command that runs beside a container, complete. */
export interface CommandRequest {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  readonly stdin: boolean
}

/** A running command that leads its own session and process group. */
export interface CommandProcess {
  readonly pid: number
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  /** A terminal has one output only. */
  readonly stderr: Readable | undefined
  resize(size: TerminalSize): void
  /** Exit code; 128 and the number of the signal that ended it. Output may still be on its way. */
  readonly exited: Promise<number>
}
