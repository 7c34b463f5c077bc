import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { internalError } from '#apimachinery/errors.ts'

/** Milliseconds for a guest to accept a connection. virt-api waits 10 s. */
const connectMs = 8_000

/** A port of a guest. */
export interface GuestPort {
  readonly address: string
  readonly port: string
  readonly protocol: string
}

/** Connects to a port of a guest, over TCP or UDP. @throws StatusError 500 in KubeVirt's words */
export async function connectPort({ address, port, protocol }: GuestPort): Promise<Duplex> {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0
  if (protocol !== 'tcp' && protocol !== 'udp') throw refusal(`dial ${protocol}: unknown network ${protocol}`)
  if (number < 1 || number > 65_535) throw refusal(`dial ${protocol}: address ${port}: invalid port`)
  return protocol === 'tcp' ? connectTcp(address, number) : connectUdp(address, number)
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

function connectTcp(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    const late = setTimeout(() => socket.destroy(new Error('i/o timeout')), connectMs)
    socket.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      clearTimeout(late)
      reject(refusal(`dial tcp ${host}:${port}: ${reasons[code] ?? message}`))
    })
    socket.once('connect', () => {
      clearTimeout(late)
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/** A stream whose chunks are datagrams. */
function connectUdp(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
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
