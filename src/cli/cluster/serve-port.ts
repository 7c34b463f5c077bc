import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '#cli/context.ts'

/** A port of this machine, of which each connection gets a stream of a guest. */
export interface ServedPort {
  readonly address: string
  /** 0: any. */
  readonly port: number
  readonly open: () => Promise<Duplex>
  readonly onRefused: (error: Error) => void
  /** What to do when the port is taken. */
  readonly remedy: string
}

/** Serves a port until it is closed. @throws CommandError when it is taken */
export async function servePort({
  address,
  port,
  open,
  onRefused,
  remedy,
}: ServedPort): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => connect(socket, open(), onRefused))
  await listening(server.listen(port, address), { address, port, remedy })
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

function connect(socket: Socket, opening: Promise<Duplex>, onRefused: (error: Error) => void): void {
  socket.on('error', () => {})
  opening.then(
    (stream) => void pipeline(socket, stream, socket).catch(() => socket.destroy()),
    (error: Error) => {
      onRefused(error)
      socket.destroy()
    },
  )
}

/** Awaits a server or a socket for datagrams. @throws CommandError when its port is taken */
export async function listening(
  server: NodeJS.EventEmitter,
  { address, port, remedy }: Pick<ServedPort, 'address' | 'port' | 'remedy'>,
): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new CommandError(`Cannot listen on ${address}:${port}: ${(error as Error).message}; ${remedy}`)
  }
}
