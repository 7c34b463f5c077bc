import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { GuestPort, TaskContext } from '../../task.ts'

/** A port of the loopback of this machine that leads to a port of a guest. */
export interface Tunnel extends Disposable {
  readonly port: number
}

/**
 * Opens a tunnel. ssh connects to it: a ProxyCommand would need a shell, which the image of tasks
 * does not have, and a second process. Other local users reach no more than the guest's SSH server.
 */
export async function openTunnel({ openGuestPort, log }: Pick<TaskContext, 'openGuestPort' | 'log'>, target: GuestPort): Promise<Tunnel> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    openGuestPort(target).then(
      (stream) => void pipeline(socket, stream, socket).catch(() => socket.destroy()),
      (error: Error) => {
        log(`The guest is not reached: ${error.message}`)
        socket.destroy()
      },
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
