import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectToPod, type NodeNetwork } from '../network/pod-address.ts'
import { SessionRefused } from './session.ts'

const connectMs = 10_000

/** Connects to a port of a pod. @throws SessionRefused in the words that kubectl shows */
export async function connectToPort(node: Pick<NodeNetwork, 'network'>, host: string, port: number): Promise<Socket> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('no answer in time')), connectMs)
  try {
    const socket = await connectToPod(node, host, port, late.signal)
    // Both directions end on their own: many protocols half-close.
    socket.allowHalfOpen = true
    return socket
  } catch (cause) {
    throw new SessionRefused(
      `failed to connect to localhost:${port} inside the pod: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Pipes two connections into each other, with half-close. Resolves when both are closed; never
 * rejects.
 */
export async function splice(a: Duplex, b: Duplex): Promise<void> {
  const closed = [a, b].map((one) => new Promise<void>((resolve) => (one.closed ? resolve() : void one.once('close', () => resolve()))))
  const both = (): void => {
    a.destroy()
    b.destroy()
  }
  for (const one of [a, b]) {
    one.on('error', both)
    one.once('close', () => {
      // A clean end passes on what still is on its way; an abrupt one ends both.
      if (!one.readableEnded || !one.writableFinished) both()
    })
  }
  a.pipe(b)
  b.pipe(a)
  await Promise.all(closed)
}
