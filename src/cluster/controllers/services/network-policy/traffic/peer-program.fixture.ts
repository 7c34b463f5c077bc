import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

// A program in the network namespace of a guest. It answers by TCP and UDP on the ports of its
// command line, and carries out what its parent asks for.

/** What the program can be asked for. */
export type Question =
  | { readonly kind: 'connect'; readonly protocol: 'TCP' | 'UDP'; readonly host: string; readonly port: number }
  /** Opens a connection that stays. */
  | { readonly kind: 'open'; readonly host: string; readonly port: number }
  /** Sends on the open connection, and reports whether an answer comes. */
  | { readonly kind: 'exchange' }
  /** Sends a datagram, and waits for no answer. */
  | { readonly kind: 'shout'; readonly host: string; readonly port: number }
  /** Sends a datagram to each of the first ports. */
  | { readonly kind: 'flood'; readonly host: string; readonly ports: number }
  /** Counts the datagrams that have arrived. */
  | { readonly kind: 'count' }

/** An answer: whether it works, or a number. */
export interface Answer {
  readonly id: number
  readonly value: number
}

/** Refusals come at once: it is spent only where packets are dropped. */
const patienceMs = 1_000
let held: Socket | undefined
let datagrams = 0

for (const port of process.argv.slice(2).map(Number)) {
  createServer((socket) => {
    socket.on('error', () => {})
    socket.write('hello')
    socket.on('data', (data) => socket.write(data))
  }).listen(port, '0.0.0.0')
  const socket = createSocket('udp4').bind(port)
  socket.on('message', (message, sender) => {
    datagrams += 1
    socket.send(message, sender.port, sender.address, () => {})
  })
}

async function hears(socket: Socket | UdpSocket, event: string): Promise<boolean> {
  try {
    await once(socket, event, { signal: AbortSignal.timeout(patienceMs) })
    return true
  } catch {
    return false
  }
}

async function openTcp(host: string, port: number): Promise<Socket | undefined> {
  const socket = connect({ host, port })
  if (await hears(socket, 'data')) return socket.on('error', () => {})
  socket.on('error', () => {}).destroy()
  return undefined
}

async function answersUdp(host: string, port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.connect(port, host, () => socket.send('x', () => {}))
  const isAnswered = await hears(socket, 'message')
  socket.close()
  return isAnswered
}

async function shout(host: string, port: number): Promise<void> {
  const socket = createSocket('udp4').bind()
  await once(socket, 'listening')
  socket.setBroadcast(true)
  await new Promise((resolve) => {
    socket.send('x', port, host, resolve)
  })
  socket.close()
}

async function flood(host: string, count: number): Promise<void> {
  const socket = createSocket('udp4')
  const send = (port: number): Promise<unknown> =>
    new Promise((resolve) => {
      socket.send('x', port, host, resolve)
    })
  // Many at once: a busy machine would need longer than connections are remembered.
  const atOnce = 100
  for (let first = 1; first <= count; first += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - first + 1) }, (_, index) => send(first + index)))
  socket.close()
}

async function answer(question: Question): Promise<number> {
  switch (question.kind) {
    case 'connect': {
      const { protocol, host, port } = question
      if (protocol === 'UDP') return Number(await answersUdp(host, port))
      const socket = await openTcp(host, port)
      socket?.destroy()
      return Number(socket !== undefined)
    }
    case 'open':
      held = await openTcp(question.host, question.port)
      return Number(held !== undefined)
    case 'exchange':
      held?.write('x')
      return Number(held !== undefined && (await hears(held, 'data')))
    case 'shout':
      await shout(question.host, question.port)
      return 1
    case 'flood':
      await flood(question.host, question.ports)
      return 1
    case 'count':
      return datagrams
  }
}

process.on('message', ({ id, question }: { id: number; question: Question }) => {
  void answer(question).then((value) => process.send?.({ id, value } satisfies Answer))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
