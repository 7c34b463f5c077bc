import type { Duplex, Readable, Writable } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** A conversation that somebody wants with a container. */
export interface SessionRequest {
  readonly kind: 'exec' | 'attach'
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Program and arguments; empty for attach. */
  readonly command: readonly string[]
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** An open conversation; disposal ends it, and with it a command. */
export interface NodeSession extends Disposable {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  resize(size: TerminalSize): void
  /** How it ended, after all output. Never rejects. */
  readonly status: Promise<Status>
}

/** A port of a pod. */
export interface PortRequest {
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/** The way to the containers of all nodes. */
export interface NodeStreams {
  /** @throws StatusError */
  session(request: SessionRequest, signal: AbortSignal): Promise<NodeSession>
  /** @throws StatusError */
  connect(request: PortRequest, signal: AbortSignal): Promise<Duplex>
}
