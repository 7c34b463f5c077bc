import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { aborted } from '#runtime/clock/abort.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly address: string
  readonly port: number
  readonly proxyOnly: boolean
}

/** VNC viewers that virtctl knows, in order of preference, with their arguments. */
const viewers: readonly (readonly [program: string, args: (address: string, port: number) => string[]])[] = [
  ['remote-viewer', (address, port) => [`vnc://${address}:${port}`]],
  ['vncviewer', (address, port) => [`${address}::${port}`]],
  ['xtigervncviewer', (address, port) => [`${address}::${port}`]],
]

/**
 * Shows a guest's display: serves it on a port of this machine, and starts a viewer. A display has
 * one client at a time.
 */
export async function vnc(this: CliContext, flags: Flags, target: string): Promise<void> {
  const { address, proxyOnly } = flags
  using cluster = await connectChosenCluster(this, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const open = (): Promise<Duplex> => cluster.openGuestStream({ ...key, subresource: 'vnc' })
  // Without a display the command ends here, and not when the viewer connects.
  const first = await open()
  const server = serve(this, open, first)
  server.listen(flags.port, address)
  try {
    await once(server, 'listening')
  } catch (error) {
    first.destroy()
    throw new CommandError(`Cannot listen on ${address}:${flags.port}: ${(error as Error).message}; choose another port with --port`)
  }
  const { port } = server.address() as AddressInfo
  const ended = aborted(this.signal)
  if (proxyOnly) {
    this.process.stdout.write(`${JSON.stringify({ port })}\n`)
    await ended
  } else {
    await Promise.race([ended, view(address, port)])
  }
  first.destroy()
  server.close()
}

/**
 * Returns a server of which each connection gets the display; the first one that is open already.
 */
function serve(context: CliContext, open: () => Promise<Duplex>, first: Duplex): Server {
  first.on('error', () => {})
  let waiting: Duplex | undefined = first
  return createServer((socket) => {
    socket.on('error', () => {})
    const stream = waiting === undefined || waiting.destroyed ? open() : Promise.resolve(waiting)
    waiting = undefined
    stream.then(
      (display) => void pipeline(socket, display, socket).catch(() => socket.destroy()),
      (error: Error) => {
        context.process.stderr.write(`Cannot show the display: ${error.message}\n`)
        socket.destroy()
      },
    )
  })
}

/** Runs the first viewer that is installed, until it ends. @throws CommandError without one */
async function view(address: string, port: number): Promise<void> {
  for (const [program, args] of viewers) {
    const child = spawn(program, args(address, port), { stdio: 'ignore' })
    const isMissing = await Promise.race([once(child, 'spawn').then(() => false), once(child, 'error').then(() => true)])
    if (isMissing) continue
    await once(child, 'exit')
    return
  }
  const names = viewers.map(([program]) => program).join(', ')
  throw new CommandError(`No VNC viewer is installed (${names}): use --proxy-only and connect one to the port that is printed`)
}
