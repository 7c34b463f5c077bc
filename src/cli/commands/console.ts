import { findGuest } from '#machine/guests/running-guests.ts'
import { openConsole, runInGuest } from '#machine/guests/serial-console.ts'
import { randomUUID } from 'node:crypto'
import { parseVmKey } from '../arguments/targets.ts'
import { CommandError, type CliContext } from '../context.ts'
import { homeDirectory } from '../cluster/home.ts'

interface Flags {
  readonly dataDir?: string
  readonly namespace: string
  readonly run?: string
  readonly timeout: number
}

/** Ctrl-], as in telnet and virtctl. */
const ESCAPE = 0x1d

/** Connects the terminal to a guest's serial console, or runs one command there. */
export async function console(this: CliContext, flags: Flags, target: string): Promise<void> {
  const { namespace, name } = parseVmKey(target, flags.namespace)
  const directory = homeDirectory(this, flags.dataDir)
  const guest = findGuest(directory.root, namespace, name)
  if (guest === undefined) throw new CommandError(`VM "${namespace}/${name}" does not run on this machine: see "kubectl get vmi -A"`)
  if (guest.serialSocket === undefined) throw new CommandError(`VM "${namespace}/${name}" has no serial console`)
  if (flags.run !== undefined) {
    const result = await runInGuest(guest.serialSocket, flags.run, randomUUID().slice(0, 8), flags.timeout * 1000)
    this.process.stdout.write(result.output.endsWith('\n') || result.output === '' ? result.output : `${result.output}\n`)
    this.process.exitCode = result.exitCode
    return
  }
  await interact(this, guest.serialSocket)
}

async function interact(context: CliContext, socketPath: string): Promise<void> {
  const { stdin, stdout, stderr } = context.process
  const socket = await openConsole(socketPath)
  stderr.write('Connected; leave with Ctrl-]\n')
  if (stdin.isTTY) stdin.setRawMode(true)
  socket.write('\n')
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => stdout.write(chunk.toString('utf8')))
    socket.on('close', () => resolve())
    stdin.on('data', (chunk: Buffer) => (chunk.includes(ESCAPE) ? resolve() : void socket.write(chunk)))
    stdin.on('end', () => resolve())
    context.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  socket.destroy()
  if (stdin.isTTY) stdin.setRawMode(false)
  stdin.pause()
  stderr.write('\nDisconnected\n')
}
