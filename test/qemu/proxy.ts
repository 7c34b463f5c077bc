/**
 * Proxy of a test between 127.0.0.1 and a unix socket, in a process of its own: SIGKILL cuts all
 * connections, and SIGSTOP leaves new ones without an answer. Arguments: port or 0, path of the
 * socket. Prints its port.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import process from 'node:process'

const [port = '0', path = ''] = process.argv.slice(2)

const server = createServer((near) => {
  near.on('error', () => {})
  // A connection without data is none of a source, and would be taken for one by the target.
  near.once('data', (first) => {
    const far = connect(path)
    far.on('error', () => {})
    far.write(first)
    pipe(near, far)
    pipe(far, near)
  })
})

function pipe(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('close', () => to.destroy())
}

// A short queue, which a test can fill.
server.listen({ host: '127.0.0.1', port: Number(port), backlog: 1 }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
