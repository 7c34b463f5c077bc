import type { Readable, Writable } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'
import type { TerminalSize } from '#apiserver/streaming/node-streams.ts'

/** Streams that a client asks for. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** Client end of a session, independent of the protocol. */
export interface ClientChannels {
  /** Ends at the client's end of input. */
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** Sets the listener. Earlier sizes are delivered at once. */
  onResize(listener: (size: TerminalSize) => void): void
  /** Sends the result after all output, and closes. Never rejects. */
  finish(status: Status): Promise<void>
  /** Settles when the client has disconnected. */
  readonly closed: Promise<void>
}

/** Text of the result in protocols without a Status; empty for success. */
export function plainEnd(status: Status): string {
  return status.status === 'Success' ? '' : (status.message ?? 'it failed')
}

/** Parses a terminal size; undefined when malformed. */
export function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { readonly Width?: unknown; readonly Height?: unknown }
    return isDimension(width) && isDimension(height) ? { width, height } : undefined
  } catch {
    return undefined
  }
}

function isDimension(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
}
