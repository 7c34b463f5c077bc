import type { Duplex, Readable, Writable } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** A session with a container. */
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

/** An open session. Disposal ends it and its command. */
export interface NodeSession extends Disposable {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  resize(size: TerminalSize): void
  /** Result after all output. Never rejects. */
  readonly status: Promise<Status>
}

/** A port of a pod. */
export interface PortRequest {
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/**
 * Streams to the containers of all nodes. The entry point of this package is
 * `pod-stream-routes.ts`.
 */
export interface NodeStreams {
  /** @throws StatusError */
  session(request: SessionRequest, signal: AbortSignal): Promise<NodeSession>
  /** @throws StatusError */
  connect(request: PortRequest, signal: AbortSignal): Promise<Duplex>
}
