import type { Socket as DatagramSocket } from 'node:dgram'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { internalError } from '#apimachinery/errors.ts'
import { directDialer, type NetworkDialer } from '#runtime/network/network-dialer.ts'

/** Milliseconds for a guest to accept a connection. virt-api waits 10 s. */
const connectMs = 8_000

/** A port of a guest. */
export interface GuestPort {
  readonly address: string
  readonly port: string
  readonly protocol: string
}

/** Connects to a port of a guest, over TCP or UDP. @throws StatusError 500 in KubeVirt's words */
export async function connectPort({ address, port, protocol }: GuestPort, dialer: NetworkDialer = directDialer): Promise<Duplex> {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0
  if (protocol !== 'tcp' && protocol !== 'udp') throw refusal(`dial ${protocol}: unknown network ${protocol}`)
  if (number < 1 || number > 65_535) throw refusal(`dial ${protocol}: address ${port}: invalid port`)
  return protocol === 'tcp' ? connectTcp(dialer, address, number) : connectUdp(dialer, address, number)
}

/** Milliseconds of silence, after which a guest that has left its node is asked for an answer. */
const silenceMs = 10_000

/**
 * Ends a connection whose guest is off. Its kernel may not have closed it, and nothing else would
 * tell: a client that waits for output would wait for ever. A guest that runs on another node
 * answers, and keeps its connections. One that is paused there for longer loses them.
 */
export function endWithGuest(stream: Duplex, gone: AbortSignal): void {
  if (!(stream instanceof Socket)) return
  const ask = (): void => void stream.setKeepAlive(true, silenceMs)
  if (gone.aborted) return ask()
  gone.addEventListener('abort', ask, { once: true })
  stream.once('close', () => gone.removeEventListener('abort', ask))
}

/** Words of Go's runtime, which clients of KubeVirt know. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
}

function refusal(reason: string): Error {
  return internalError(`dialing VM: ${reason}`)
}

async function connectTcp(dialer: NetworkDialer, host: string, port: number): Promise<Duplex> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('i/o timeout')), connectMs)
  try {
    const socket = await dialer.connect(host, port, late.signal)
    return socket.on('error', () => {})
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw refusal(`dial tcp ${host}:${port}: ${reasons[code] ?? message}`)
  } finally {
    clearTimeout(timer)
  }
}

/** A stream whose chunks are datagrams. */
async function connectUdp(dialer: NetworkDialer, host: string, port: number): Promise<Duplex> {
  const socket = await dialer.openDatagrams()
  return new Promise((resolve, reject) => {
    socket.once('error', ({ message }) => reject(refusal(`dial udp ${host}:${port}: ${message}`)))
    socket.connect(port, host, () => {
      socket.removeAllListeners('error')
      resolve(datagrams(socket))
    })
  })
}

function datagrams(socket: DatagramSocket): Duplex {
  const stream = new Duplex({
    read: () => {},
    // A port that is closed in the guest says so after a datagram, and is no reason to end.
    write: (chunk: Buffer, _, done) => socket.send(chunk, () => done()),
    destroy: (error, done) => {
      socket.close()
      done(error)
    },
  })
  socket.on('message', (message) => {
    // As a full queue of the kernel would: datagrams that are not read are lost.
    if (stream.readableLength < stream.readableHighWaterMark) stream.push(message)
  })
  socket.on('error', () => {})
  return stream
}
