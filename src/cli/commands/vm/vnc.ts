import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { aborted } from '#runtime/clock/abort.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { servePort } from '#cli/cluster/serve-port.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly address: string
  readonly port: number
  readonly proxyOnly: boolean
}

/** A port of this machine at which a display is. */
interface ViewedPort {
  readonly address: string
  readonly port: number
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
  first.on('error', () => {})
  let waiting: Duplex | undefined = first
  const takeOpen = async (): Promise<Duplex> => {
    const taken = waiting
    waiting = undefined
    return taken === undefined || taken.destroyed ? open() : taken
  }
  const onRefused = ({ message }: Error): unknown => this.process.stderr.write(`Cannot show the display: ${message}\n`)
  try {
    const remedy = 'choose another port with --port'
    const { port, close } = await servePort({ address, port: flags.port, open: takeOpen, onRefused, remedy })
    const ended = aborted(this.signal)
    if (proxyOnly) this.process.stdout.write(`${JSON.stringify({ port })}\n`)
    await (proxyOnly ? ended : Promise.race([ended, view({ address, port }, this.process.env)])).finally(close)
  } finally {
    first.destroy()
  }
}

/**
 * Runs the first viewer that is installed, until it ends. `env`: environment, with the PATH to look
 * in. @throws CommandError without one
 */
export async function view({ address, port }: ViewedPort, env: NodeJS.ProcessEnv): Promise<void> {
  for (const [program, args] of viewers) {
    const child = spawn(program, args(address, port), { stdio: 'ignore', env })
    const isThere = await new Promise<boolean>((resolve) => {
      child.once('spawn', () => resolve(true))
      child.once('error', () => resolve(false))
    })
    if (!isThere) continue
    await once(child, 'exit')
    return
  }
  const names = viewers.map(([program]) => program).join(', ')
  throw new CommandError(`No VNC viewer is installed (${names}): use --proxy-only and connect one to the port that is printed`)
}
