import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import type { TestMachine } from '../machine.ts'
import { streamUrl } from './guest-streams.ts'

/** A client of a stream, and its connection without TLS. */
interface Client {
  readonly stream: WebSocket
  readonly connection: Socket
}

/** Milliseconds in which a connection is made, more or less. */
const connectMs = 30

/** Ways in which clients leave. Each returns when the client has left, or has been left. */
const departures: Readonly<Record<string, (client: Client) => Promise<void>>> = {
  'closes while it is connected': async ({ stream }) => {
    await sleep(Math.random() * connectMs)
    stream.terminate()
  },
  'resets while it is connected': async ({ connection }) => {
    await sleep(Math.random() * connectMs)
    connection.resetAndDestroy()
  },
  'says goodbye': async ({ stream }) => {
    await opened(stream)
    stream.close()
  },
  closes: async ({ stream }) => {
    await opened(stream)
    stream.terminate()
  },
  resets: async ({ stream, connection }) => {
    await opened(stream)
    connection.resetAndDestroy()
  },
  'sends, and does not read': async ({ stream, connection }) => {
    await opened(stream)
    stream.pause()
    if (stream.readyState === WebSocket.OPEN) stream.send(Buffer.alloc(1_000))
    await sleep(connectMs)
    connection.destroy()
  },
}

function opened(stream: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['open', 'error', 'close']) stream.once(event, () => resolve())
  })
}

/** Options of {@link leaveStreams}. */
export interface LeavingOptions {
  /** Streams below the namespace's subresources: client after client takes the next one. */
  readonly streams: readonly string[]
  readonly count: number
  /** Clients that there are at the same time. */
  readonly atATime: number
}

/** Connects clients to streams of guests, and waits until all have left, in all these ways. */
export async function leaveStreams(machine: TestMachine, { streams, count, atATime }: LeavingOptions): Promise<void> {
  const ways = Object.values(departures)
  const credentials = machine.credentials('admin')
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      const url = streamUrl(machine, streams[index % streams.length] ?? '')
      const { hostname, port } = new URL(url)
      const connection = connectTcp(Number(port), hostname)
      const stream = new WebSocket(url, ['plain.kubevirt.io'], {
        createConnection: () => connectTls({ socket: connection, ...credentials }),
      })
      const left = new Promise((resolve) => stream.once('close', resolve))
      connection.on('error', () => {})
      stream.on('error', () => {})
      // All pairs of a way and a stream.
      await ways[Math.floor(index / streams.length) % ways.length]?.({ stream, connection })
      await left
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
}
