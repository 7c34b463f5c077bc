import type { Duplex, Readable, Writable } from 'node:stream'
import { Writable as WritableStream } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Channel, channels, decodeFrames, encodeFrame, maximumPayload } from './channel-frames.ts'
import type { Session, TerminalSize } from './session.ts'

/** Bytes of stdin that may be on their way to a process that does not read them. */
const stdinWindow = 256 * 1024

/**
 * Carries a session over a connection until it has ended or the other side has gone. Never rejects.
 */
export async function serveSession(connection: Duplex, session: Session): Promise<void> {
  connection.on('error', () => {})
  connection.once('close', () => session.end())
  void receive(connection, session).catch(() => connection.destroy())
  // Begun before anything is waited for: a client that goes breaks its streams off at any time.
  const said = Promise.allSettled([send(connection, channels.stdout, session.stdout), send(connection, channels.stderr, session.stderr)])
  const status = await session.status
  // Output before the end is still on its way; a broken stream has delivered all that it could.
  await said
  if (connection.writable) connection.end(encodeFrame(channels.status, Buffer.from(JSON.stringify(status))))
}

/**
 * Each output waits for the network by itself: nothing is read from a process faster than the
 * client takes it.
 */
async function send(connection: Duplex, channel: Channel, source: Readable | undefined): Promise<void> {
  if (source === undefined) return
  const frames = new WritableStream({
    highWaterMark: maximumPayload,
    write(chunk: Buffer, _encoding, done) {
      for (let start = 0; start < chunk.length; start += maximumPayload) {
        const isLast = start + maximumPayload >= chunk.length
        connection.write(encodeFrame(channel, chunk.subarray(start, start + maximumPayload)), isLast ? done : undefined)
      }
    },
  })
  try {
    await pipeline(source, frames)
  } finally {
    if (connection.writable) connection.write(encodeFrame(channel, new Uint8Array()))
  }
}

async function receive(connection: Duplex, session: Session): Promise<void> {
  const { stdin } = session
  stdin?.on('error', () => {})
  if (stdin !== undefined) grant(connection, stdinWindow)
  for await (const { channel, payload } of decodeFrames(connection as AsyncIterable<Uint8Array>)) {
    if (channel === channels.resize) session.resize(sizeOf(payload))
    else if (channel === channels.stdin && stdin !== undefined) feed(connection, stdin, payload)
  }
  // The other side has closed: for a session that is as good as gone.
  connection.destroy()
}

function feed(connection: Duplex, stdin: Writable, payload: Buffer): void {
  if (payload.length === 0) return void stdin.end()
  // A process that has closed its input wants no more of it, which is no reason to stop the client
  // from sending.
  stdin.write(payload, () => grant(connection, payload.length))
}

function grant(connection: Duplex, bytes: number): void {
  if (!connection.writable) return
  const leave = Buffer.alloc(4)
  leave.writeUInt32BE(bytes)
  connection.write(encodeFrame(channels.credit, leave))
}

function sizeOf(payload: Buffer): TerminalSize {
  const { width, height } = JSON.parse(payload.toString()) as Partial<TerminalSize>
  return { width: dimension(width), height: dimension(height) }
}

function dimension(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536 ? value : 1
}
