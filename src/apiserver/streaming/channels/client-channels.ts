import type { Readable, Writable } from 'node:stream'
import type { Status } from '#apimachinery/errors.ts'
import type { TerminalSize } from '#apiserver/streaming/node-streams.ts'

/** Which streams a client wants. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** The client's end of a conversation, whatever protocol carries it. */
export interface ClientChannels {
  /** Ends when the client says that there is no more. */
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** At most one listener. Sizes that came before are told at once. */
  onResize(listener: (size: TerminalSize) => void): void
  /** Tells how it ended, after all output, and closes. Never rejects. */
  finish(status: Status): Promise<void>
  /** The client has gone. */
  readonly closed: Promise<void>
}

/** What a client of the older protocols is told: plain words, and nothing when all is well. */
export function plainEnd(status: Status): string {
  return status.status === 'Success' ? '' : (status.message ?? 'it failed')
}

/** A size as clients write it, or undefined when it is none. */
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
