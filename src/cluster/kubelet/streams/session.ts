import type { Readable, Writable } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** A conversation with a process: a command that was started for it, or the container's own one. */
export interface Session {
  readonly stdin: Writable | undefined
  readonly stdout: Readable | undefined
  readonly stderr: Readable | undefined
  resize(size: TerminalSize): void
  /** Final status for the client. Never rejects; output may still be on its way then. */
  readonly status: Promise<Status>
  /**
   * The client has gone, or the kubelet goes: lets go of everything. May be called more than once.
   */
  end(): void
}

/** Parameters of exec and attach. */
export interface SessionRequest {
  readonly command: readonly string[]
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** A session cannot be had, for a reason that the client should see. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused'
}
