import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodeSession } from '#apiserver/streaming/node-streams.ts'
import type { ClientChannels } from './client-channels.ts'

/** Connects a client with a session until either ends. Never rejects. */
export async function bridge(client: ClientChannels, session: NodeSession): Promise<void> {
  void client.closed.then(() => session[Symbol.dispose]())
  client.onResize((size) => session.resize(size))
  // A process that closes its stdin ends neither the session nor the client.
  if (client.stdin !== undefined) void pipeline(client.stdin, session.stdin).catch(() => {})
  // Started before any await, as a client can disconnect at any time.
  const said = Promise.allSettled([pump(session.stdout, client.stdout), pump(session.stderr, client.stderr)])
  const status = await session.status
  await said
  await client.finish(status)
}

async function pump(from: Readable, to: Writable | undefined): Promise<void> {
  if (to === undefined) return void from.resume()
  await pipeline(from, to)
}
