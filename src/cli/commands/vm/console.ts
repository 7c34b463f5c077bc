import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { LOOK_AGAIN_MS, runWhenReachable } from '#machine/guests/run-command.ts'
import { openConsole, type ConsoleSource } from '#machine/guests/serial-console.ts'
import type { DataDirectory } from '#machine/home/data-directory.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { TransportError } from '#client/client.ts'
import { aborted } from '#runtime/clock/abort.ts'
import { found } from '#client/found.ts'
import { connectChosenCluster, connectCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { StreamRefused } from '#cli/cluster/guest-stream.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { homeDirectory, requireConfig } from '#cli/cluster/home.ts'
import { findRunningGuest } from '#cli/cluster/running-guest.ts'
import { findGuests } from '#machine/guests/running-guests.ts'

interface Flags extends ClusterFlags {
  readonly dataDir?: string
  readonly namespace?: string
  readonly run?: string
  readonly timeout: number
}

/** Ctrl-], as in telnet and virtctl. */
const ESCAPE = 0x1d

/**
 * Connects the terminal to a guest's serial console, or runs one command there. On this machine it
 * works without a control plane; elsewhere it goes through the API server.
 */
export async function console(this: CliContext, flags: Flags, target: string): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const deadline = this.now() + flags.timeout * 1000
  if (isOnThisMachine(this, flags, directory)) {
    const key = parseVmKey(target, flags.namespace ?? 'default')
    return serve(this, flags, { deadline, find: () => waitForConsole(this, directory, { key, deadline }) })
  }
  using cluster = await connectChosenCluster(this, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  await serve(this, flags, { deadline, find: async () => () => openThroughApi(this, cluster, { key, deadline }) })
}

/** Reports whether the cluster that the flags choose is that of the data directory. */
function isOnThisMachine({ process }: CliContext, flags: Flags, { kubeconfig, config }: DataDirectory): boolean {
  if (flags.dataDir !== undefined) return true
  // A kubeconfig of another cluster may have been put there.
  if (!existsSync(config)) return false
  if (flags.kubeconfig !== undefined || flags.context !== undefined) return false
  const chosen = process.env['KUBECONFIG'] ?? ''
  return chosen === '' || resolve(chosen) === resolve(kubeconfig)
}

/** Where the console is, and until when it is waited for, in milliseconds since the epoch. */
interface Search {
  readonly deadline: number
  readonly find: () => Promise<ConsoleSource>
}

async function serve(context: CliContext, { run }: Flags, { deadline, find }: Search): Promise<void> {
  if (run === undefined) return await interact(context, await find())
  const { output, exitCode } = await runWhenReachable({
    command: run,
    findConsole: find,
    deadline,
    now: () => context.now(),
    sleep: (ms) => context.sleep(ms),
  })
  const { process } = context
  process.stdout.write(output.endsWith('\n') || output === '' ? output : `${output}\n`)
  if (exitCode !== 0) process.stderr.write(`command terminated with exit code ${exitCode}\n`)
  process.exitCode = exitCode
}

/** Opens a console through the API server. Waits while the guest starts, restarts or migrates. */
async function openThroughApi(context: CliContext, cluster: ChosenCluster, { key, deadline }: GuestConsole): Promise<Duplex> {
  for (;;) {
    try {
      return await cluster.openGuestStream({ ...key, subresource: 'console' })
    } catch (error) {
      // 400: the guest does not run yet. 404: its VMI is not there, or not yet. 503: it is in use.
      if (!(error instanceof StreamRefused) || ![400, 404, 503].includes(error.code)) throw error
      const vm = error.code === 404 ? await found(cluster.client.get(virtualMachines, key)) : undefined
      if (error.code === 404 && vm === undefined) throw error
      if (context.now() >= deadline) throw timedOut(key, error.message)
      await context.sleep(LOOK_AGAIN_MS)
    }
  }
}

interface GuestConsole {
  readonly key: { readonly namespace: string; readonly name: string }
  /** Milliseconds since the epoch. */
  readonly deadline: number
}

/**
 * Returns the path of a guest's serial console. Waits while the guest starts, restarts or migrates,
 * and while the API server restarts. @throws CommandError that states what is missing
 */
async function waitForConsole(context: CliContext, directory: DataDirectory, { key, deadline }: GuestConsole): Promise<string> {
  await requireConfig(directory)
  for (;;) {
    const guest = await findRunningGuest(findGuests(directory.root), key.namespace, key.name)
    if (guest !== undefined) {
      if (guest.serialSocket === undefined) throw new CommandError(`VM "${key.namespace}/${key.name}" has no serial console`)
      return guest.serialSocket
    }
    const missing = await describeMissingGuest(directory, key)
    if (context.now() >= deadline) throw timedOut(key, missing)
    await context.sleep(LOOK_AGAIN_MS)
  }
}

function timedOut({ namespace, name }: GuestConsole['key'], why: string): CommandError {
  return new CommandError(`Timed out waiting for the guest of VM "${namespace}/${name}": ${why}`, EXIT.timeout)
}

/** Explains why no QEMU of the guest runs yet. @throws CommandError when none will be started */
async function describeMissingGuest(directory: DataDirectory, { namespace, name }: GuestConsole['key']): Promise<string> {
  try {
    using cluster = await connectCluster(directory)
    const vmi = await found(cluster.client.get(virtualMachineInstances, { namespace, name }))
    if (vmi !== undefined) {
      const phase = vmi.status?.phase ?? 'Pending'
      if (phase !== 'Succeeded' && phase !== 'Failed') return `its VMI is in phase ${phase}, and no QEMU of it runs on this machine`
    }
    const vm = await found(cluster.client.get(virtualMachines, { namespace, name }))
    if (vm === undefined) throw new CommandError(`VM "${namespace}/${name}" does not exist: see "kubectl get vm -A"`)
    const status = vm.status?.printableStatus ?? 'unknown'
    if (['Starting', 'Provisioning', 'Migrating', 'WaitingForReceiver'].includes(status)) return `the VM is ${status}`
    const remedy =
      status === 'Stopped' ? `start it with "steadyvm start ${name} -n ${namespace}"` : `see "kubectl describe vm ${name} -n ${namespace}"`
    throw new CommandError(`VM "${namespace}/${name}" does not run (${status}): ${remedy}`)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return `the API server does not answer (${error.message}); see "steadyvm status"`
  }
}

async function interact(context: CliContext, console: ConsoleSource): Promise<void> {
  const { stdin, stdout, stderr } = context.process
  const socket = typeof console === 'string' ? await openConsole(console) : await console()
  stderr.write('Connected; leave with Ctrl-]\n')
  if (stdin.isTTY) stdin.setRawMode(true)
  socket.write('\n')
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => stdout.write(chunk.toString('utf8')))
    socket.on('close', () => resolve())
    socket.on('error', ({ message }) => stderr.write(`\n${message}`))
    stdin.on('data', (chunk: Buffer) => (chunk.includes(ESCAPE) ? resolve() : void socket.write(chunk)))
    stdin.on('end', () => resolve())
    void aborted(context.signal).then(resolve)
  })
  socket.destroy()
  if (stdin.isTTY) stdin.setRawMode(false)
  stdin.pause()
  stderr.write('\nDisconnected\n')
}
